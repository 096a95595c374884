import t from 'tap'
import * as dates from '../../../src/kernel/time/dates.ts'
import { readMoment } from '../../../src/kernel/time/moments.ts'
import { mustFindZone } from '../../../src/kernel/time/zones.ts'

const { abbreviation, readZone, normalize, toEpoch, toOffsetDateTime, toUtc, toWall } = dates

const utc = (iso: string) => Date.parse(iso)

t.test('a zone is stored in the case of the tz database, aliases kept', async (t) => {
  const table: [string, string][] = [
    ['europe/paris', 'Europe/Paris'],
    ['EUROPE/LONDON', 'Europe/London'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['asia/calcutta', 'Asia/Calcutta'],
    ['europe/kiev', 'Europe/Kiev'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['us/eastern', 'US/Eastern'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
    ['est5edt', 'EST5EDT'],
    ['est', 'EST'],
    ['gmt', 'GMT'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['utc', 'UTC'],
    ['z', 'Z'],
    ['Z', 'Z'],
  ]
  for (const [given, stored] of table) t.equal(readZone(given), stored, given)
})

t.test('the names of Windows stand for zones, also as it shows them', async (t) => {
  for (const [given, zone] of [
    ['W. Europe Standard Time', 'Europe/Berlin'],
    [' eastern daylight time ', 'America/New_York'],
    ['GMT Summer Time', 'Europe/London'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['(UTC) Coordinated Universal Time', 'Etc/UTC'],
    ['(UTC-11:00) Coordinated Universal Time-11', 'Etc/GMT+11'],
    ['(GMT+01.00) Brussels, Copenhagen, Madrid, Paris', 'Europe/Paris'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['(UTC-04:00) Atlantic Time (Canada)', 'America/Halifax'],
    ['(UTC-07:00) La Paz, Mazatlan', 'America/Mazatlan'],
    ['(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Calcutta'],
    ['(UTC-03:00) City of Buenos Aires', 'America/Buenos_Aires'],
    ['(UTC-01:00) Cabo Verde Is.', 'Atlantic/Cape_Verde'],
    ['(UTC-10:00) Aleutian Islands', 'America/Adak'],
    ['(UTC+08:00) Beijing, Chongqing, Hong Kong, Urumqi', 'Asia/Shanghai'],
    ['(UTC-08:00) Baja California', 'America/Tijuana'],
    ['(UTC+01:00) Nowhere', undefined],
    ['Customized Time Zone', undefined],
    [`(UTC+01:00) ${'Berlin, '.repeat(100)}`, undefined],
  ] as const)
    t.equal(readZone(given), zone, given)
})

t.test('an offset is stored as given, UTC in capitals', async (t) => {
  const table: [string, string, string][] = [
    ['UTC+5.5', 'UTC+5.5', '06:30'],
    ['UTC+5:30', 'UTC+5:30', '06:30'],
    ['UTC+05:30', 'UTC+05:30', '06:30'],
    ['UTC+5.75', 'UTC+5.75', '06:15'],
    ['UTC+5.333', 'UTC+5.333', '06:40'],
    ['UTC-3.5', 'UTC-3.5', '15:30'],
    ['UTC+0', 'UTC+0', '12:00'],
    ['UTC-0', 'UTC-0', '12:00'],
    ['utc+3', 'UTC+3', '09:00'],
    ['UTC+12', 'UTC+12', '00:00'],
    ['+05:30', '+05:30', '06:30'],
    ['-0500', '-0500', '17:00'],
    ['+02:00', '+02:00', '10:00'],
    ['-00:30', '-00:30', '12:30'],
  ]
  for (const [given, stored, noon] of table) {
    t.equal(readZone(given), stored, given)
    t.equal(toUtc('2027-05-14 12:00:00', stored), `2027-05-14 ${noon}:00`, given)
  }
  t.equal(toUtc('2027-05-14 12:00:00', 'UTC-12'), '2027-05-15 00:00:00')
  t.equal(toUtc('2027-05-14 12:00:00', '+1400'), '2027-05-13 22:00:00')
})

t.test('anything else is no zone', async (t) => {
  const offsets = 'UTC+ UTC+25 UTC-13 UTC+14.5 UTC+14:01 UTC-12.5 UTC+5:75 UTC5 +15:00 -12:30 +5 +05 +05:60 5'
  const names = 'UTCfoo Bad/Zone CEST Europe europe_paris constructor __proto__ ZZ'
  const spaces = ['', ' ', 'UTC+5.5 ', 'UTC 5.5', ' Europe/Paris', 'Europe/Paris\n']
  for (const text of [...offsets.split(' '), ...names.split(' '), ...spaces]) {
    t.equal(readZone(text), undefined, JSON.stringify(text))
  }
})

t.test('more offsets than are remembered are read the same the second time', async (t) => {
  const minutes = [...Array(600).keys()]
  const offset = (m: number, colon: string) => `+0${Math.floor(m / 60)}${colon}${`0${m % 60}`.slice(-2)}`
  const midnight = (m: number, colon: string) =>
    toEpoch('1970-01-01 00:00:00', offset(m, colon)) / -60_000 + 0
  for (const colon of ['', ':', '', ':'])
    t.strictSame(
      minutes.map((m) => midnight(m, colon)),
      minutes,
    )
})

t.test('more days than are remembered are read the same the second time', async (t) => {
  const days = [...Array(1500).keys()].map((day) => utc('2027-01-01T12:00:00Z') + day * 86_400_000)
  const once = days.map((at) => toWall(at, 'Europe/Paris').slice(11, 13))
  t.same([...new Set(once)], ['13', '14'])
  t.same(
    days.map((at) => toWall(at, 'Europe/Paris').slice(11, 13)),
    once,
  )
})

t.test('a wall clock in a gap moves forward by the gap', async (t) => {
  const table: [string, string, string][] = [
    ['Europe/Paris', '2027-03-28 02:30:00', '2027-03-28 03:30:00'],
    ['Europe/Paris', '2027-03-28 01:59:59', '2027-03-28 01:59:59'],
    ['Europe/Paris', '2027-03-28 03:00:00', '2027-03-28 03:00:00'],
    ['America/New_York', '2027-03-14 02:00:00', '2027-03-14 03:00:00'],
    ['Australia/Lord_Howe', '2027-10-03 02:15:00', '2027-10-03 02:45:00'],
    ['America/Sao_Paulo', '2018-11-04 00:00:00', '2018-11-04 01:00:00'],
    ['Pacific/Apia', '2011-12-30 12:00:00', '2011-12-31 12:00:00'],
    ['Asia/Kolkata', '2027-03-28 02:30:00', '2027-03-28 02:30:00'],
    ['UTC', '2027-03-28 02:30:00', '2027-03-28 02:30:00'],
  ]
  for (const [zone, wall, settled] of table) t.equal(normalize(wall, zone), settled, `${wall} ${zone}`)
})

t.test('an ambiguous wall clock is the first of the two', async (t) => {
  const table: [string, string, string][] = [
    ['Europe/Paris', '2027-10-31 02:30:00', '2027-10-31 00:30:00'],
    ['Europe/Paris', '2027-10-31 03:00:00', '2027-10-31 02:00:00'],
    ['America/New_York', '2027-11-07 01:30:00', '2027-11-07 05:30:00'],
    ['Australia/Lord_Howe', '2027-04-04 01:45:00', '2027-04-03 14:45:00'],
    ['America/Sao_Paulo', '2018-02-17 23:30:00', '2018-02-18 01:30:00'],
  ]
  for (const [zone, wall, twin] of table) {
    t.equal(toUtc(wall, zone), twin, `${wall} ${zone}`)
    t.equal(normalize(wall, zone), wall)
  }
})

t.test('wall clocks have UTC twins', async (t) => {
  const table: [string, string, string][] = [
    ['America/New_York', '2026-12-11 19:00:00', '2026-12-12 00:00:00'],
    ['Europe/Madrid', '2027-05-14 18:00:00', '2027-05-14 16:00:00'],
    ['Asia/Kolkata', '2027-05-14 18:00:00', '2027-05-14 12:30:00'],
    ['Asia/Calcutta', '2027-05-14 18:00:00', '2027-05-14 12:30:00'],
    ['Europe/Kiev', '2027-05-14 18:00:00', '2027-05-14 15:00:00'],
    ['Australia/Lord_Howe', '2027-07-01 12:00:00', '2027-07-01 01:30:00'],
    ['Pacific/Apia', '2011-12-29 23:00:00', '2011-12-30 09:00:00'],
    ['Pacific/Apia', '2011-12-31 00:00:00', '2011-12-30 10:00:00'],
    ['America/Sao_Paulo', '2027-01-01 00:00:00', '2027-01-01 03:00:00'],
    ['Z', '2027-05-14 18:00:00', '2027-05-14 18:00:00'],
  ]
  for (const [zone, wall, twin] of table) {
    t.equal(toUtc(wall, zone), twin, `${wall} ${zone}`)
    t.equal(toEpoch(wall, zone), utc(`${twin.replace(' ', 'T')}Z`))
    t.equal(toWall(toEpoch(wall, zone), zone), wall)
  }
  t.equal(toWall(-1, 'UTC'), '1969-12-31 23:59:59')
  t.equal(toWall(1999.9, 'UTC'), '1970-01-01 00:00:01')
})

t.test('what a zone carries out of the calendar stays on its edge', async (t) => {
  t.equal(toUtc('9999-12-31 23:30:00', 'America/New_York'), '9999-12-31 23:59:59')
  t.equal(toUtc('0001-01-01 00:30:00', '+14:00'), '0001-01-01 00:00:00')
  t.equal(toWall(utc('9999-12-31T23:59:59Z'), '+14:00'), '9999-12-31 23:59:59')
  t.equal(normalize('9999-12-31 23:30:00', 'America/New_York'), '9999-12-31 23:30:00')
})

t.test('an unknown zone or a wall clock that is none is a RangeError', async (t) => {
  t.throws(() => toEpoch('2027-05-14 18:00:00', 'Bad/Zone'), {
    name: 'RangeError',
    message: 'Unknown time zone: Bad/Zone',
  })
  t.throws(() => toWall(0, ''), RangeError)
  t.throws(() => abbreviation(0, 'UTC+25'), RangeError)
  t.throws(() => toEpoch('soon', 'UTC'), RangeError)
  t.throws(() => dates.addDays('soon', 1), RangeError)
  t.throws(() => readMoment('+3 days', { now: 0, zone: 'Bad/Zone' }), RangeError)
})

t.test('a zone has the abbreviation of the tz database, an offset a name made from it', async (t) => {
  const table: [string, string, string][] = [
    ['Europe/Madrid', '2027-07-01', 'CEST'],
    ['Europe/Madrid', '2027-01-01', 'CET'],
    ['America/New_York', '2027-07-01', 'EDT'],
    ['America/New_York', '2027-01-01', 'EST'],
    ['Europe/London', '2027-07-01', 'BST'],
    ['Asia/Kolkata', '2027-07-01', 'IST'],
    ['Asia/Tokyo', '2027-07-01', 'JST'],
    ['Europe/Kiev', '2027-07-01', 'EEST'],
    ['America/Sao_Paulo', '2027-07-01', '-03'],
    ['America/Sao_Paulo', '2018-01-01', '-02'],
    ['Australia/Lord_Howe', '2027-07-01', '+1030'],
    ['EST5EDT', '2027-07-01', 'EDT'],
    ['EST', '2027-07-01', 'EST'],
    ['GMT', '2027-07-01', 'GMT'],
    ['UTC', '2027-07-01', 'UTC'],
    ['Z', '2027-07-01', 'Z'],
    ['UTC+0', '2027-07-01', 'UTC+0'],
    ['UTC+5.5', '2027-07-01', 'UTC+5.5'],
    ['utc-7', '2027-07-01', 'UTC-7'],
    ['+02:00', '2027-07-01', 'GMT+0200'],
    ['-0500', '2027-07-01', 'GMT-0500'],
  ]
  for (const [zone, day, abbr] of table) t.equal(abbreviation(utc(day), zone), abbr, `${zone} ${day}`)
})

t.test('schema.org gets a date-time with its offset', async (t) => {
  t.equal(toOffsetDateTime('2027-05-14 18:00:00', 'Europe/Madrid'), '2027-05-14T18:00:00+02:00')
  t.equal(toOffsetDateTime('2027-03-28 02:30:00', 'Europe/Madrid'), '2027-03-28T03:30:00+02:00')
  t.equal(toOffsetDateTime('2027-05-14 18:00:00', 'UTC+5.5'), '2027-05-14T18:00:00+05:30')
  t.equal(toOffsetDateTime('2027-05-14 18:00:00', 'Z'), '2027-05-14T18:00:00+00:00')
})

t.test('an offset for which a zone has no word, by newer data of the runtime, is a number', async (t) => {
  const { abbreviate } = mustFindZone('Europe/Madrid')
  for (const [minutes, name] of [
    [345, '+0545'],
    [-180, '-03'],
    [60, 'CET'],
  ] as const)
    t.equal(abbreviate(utc('2027-01-01'), minutes * 60_000), name)
})
