import t from 'tap'
import { COUNTRIES, countryOf, known, placeOf, townOf } from '../../desk/rules/countries.ts'
import { filterText, readFilters } from '../../desk/rules/filters.ts'
import { accentOn, GROUNDS, vanishesOn } from '../../desk/rules/looks.ts'
import { beginningOf, clockChangeAt, differOn } from '../../desk/rules/zones.ts'

t.test('zones differ by what their clocks show on a day', async (t) => {
  for (const [one, other, differs] of [
    ['Europe/Madrid', 'Europe/Paris', false],
    ['Europe/Madrid', 'Europe/London', true],
    ['Europe/Mad', 'Europe/London', false],
    ['Europe/London', '', false],
  ] as const)
    t.equal(differOn('2026-12-05', one, other), differs, `${one} ${other}`)
  t.equal(differOn('2026-12-05', 'UTC', 'Europe/London'), false)
  t.equal(differOn('2026-07-05', 'UTC', 'Europe/London'), true)
  t.equal(differOn('', 'UTC', 'Europe/Madrid'), false)
})

t.test('times that clocks skip are told by what they become, and those that they show twice', async (t) => {
  const at = (text: string, zone: string) => {
    const [day, time] = text.split(' ') as [string, string]
    const found = clockChangeAt({ day, time }, zone)
    return typeof found === 'object' ? `${found.day} ${found.time}` : found
  }
  for (const [given, zone, becomes] of [
    ['2027-03-28 02:30', 'Europe/Madrid', '2027-03-28 03:30'],
    ['2027-03-28 02:00', 'Europe/Madrid', '2027-03-28 03:00'],
    ['2027-03-28 01:59', 'Europe/Madrid', undefined],
    ['2027-03-28 03:00', 'Europe/Madrid', undefined],
    ['2027-03-28 01:15', 'Europe/London', '2027-03-28 02:15'],
    // the hour that comes twice
    ['2027-10-31 02:30', 'Europe/Madrid', 'twice'],
    ['2027-10-31 02:00', 'Europe/Madrid', 'twice'],
    ['2027-10-31 01:59', 'Europe/Madrid', undefined],
    ['2027-10-31 03:00', 'Europe/Madrid', undefined],
    ['2027-04-04 01:45', 'Australia/Lord_Howe', 'twice'],
    // half an hour, and midnight
    ['2027-10-03 02:10', 'Australia/Lord_Howe', '2027-10-03 02:40'],
    ['2027-04-30 00:00', 'Africa/Cairo', '2027-04-30 01:00'],
    ['2027-03-28 02:30', 'UTC', undefined],
    ['2027-03-28 02:30', 'Europe/Mad', undefined],
    ['2027-03-28 ', 'Europe/Madrid', undefined],
    ['0002-05-02 20:00', 'Europe/Madrid', undefined],
    ['0203-03-28 02:30', 'Europe/Madrid', undefined],
    ['1901-01-01 00:05', 'Europe/Madrid', undefined],
  ] as const)
    t.equal(at(given, zone), becomes, `${given} ${zone}`)
})

t.test('a day begins by the clocks of a zone', (t) => {
  for (const [day, zone, begins] of [
    ['2026-11-21', 'Europe/Madrid', '2026-11-20T23:00:00.000Z'],
    ['2026-07-21', 'Europe/Madrid', '2026-07-20T22:00:00.000Z'],
    // midnight is skipped
    ['2027-04-30', 'Africa/Cairo', '2027-04-29T22:00:00.000Z'],
  ] as const)
    t.equal(new Date(beginningOf(day, zone)).toISOString(), begins, `${day} ${zone}`)
  t.end()
})

t.test('the place of the device proposes country, zone and currency', async (t) => {
  for (const [zone, languages, found] of [
    ['Europe/Madrid', ['en-GB'], 'ES Europe/Madrid EUR'],
    ['Atlantic/Canary', ['de-DE'], 'ES Atlantic/Canary EUR'],
    ['Europe/London', ['ca-ES', 'es'], 'GB Europe/London GBP'],
    // a name that the tz database has given up since
    ['Asia/Calcutta', ['en'], 'IN Asia/Calcutta INR'],
    // of no place
    ['UTC', ['ca', 'en-US'], 'US America/New_York USD'],
    ['UTC', ['en-AU'], 'AU Australia/Sydney AUD'],
    ['UTC', ['zh-Hans-CN'], 'CN Asia/Shanghai CNY'],
    ['Etc/GMT+3', ['ca', 'es'], undefined],
    ['Mars/Crater', [], undefined],
  ] as const) {
    const place = placeOf(zone, languages)
    t.equal(place && `${place.code} ${place.zone} ${place.currency}`, found, `${zone} ${languages}`)
  }
  t.equal(known('Mars/Crater'), undefined, 'as for a browser that is older than a zone')
  t.equal(townOf('America/Argentina/Buenos_Aires'), 'Buenos Aires')
})

t.test('each country has a currency and zones that the service takes', async (t) => {
  const currencies = Intl.supportedValuesOf('currency')
  for (const { code, currency, zones } of COUNTRIES) {
    t.ok(currencies.includes(currency), `${code} ${currency}`)
    for (const timeZone of zones) t.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone }), timeZone)
    t.ok(zones.length > 0, code)
  }
  t.equal(new Set(COUNTRIES.map(({ code }) => code)).size, COUNTRIES.length)
  t.equal(countryOf('ES')!.zones[0], 'Europe/Madrid')
  t.equal(countryOf('??'), undefined)
})

t.test('a logo that vanishes on a ground is found', async (t) => {
  /** A picture of one row: each pixel as red, green, blue and alpha. */
  const pixels = (...of: [count: number, pixel: number[]][]) =>
    of.flatMap(([count, pixel]) => Array.from({ length: count }, () => pixel).flat())
  const none = [0, 0, 0, 0]
  for (const [what, drawn, light, dark] of [
    ['dark letters', pixels([20, none], [10, [20, 20, 30, 255]]), false, true],
    ['white letters', pixels([20, none], [10, [255, 255, 255, 255]]), true, false],
    ['red letters', pixels([20, none], [10, [200, 40, 30, 255]]), false, false],
    ['a few of many', pixels([20, none], [3, [20, 20, 30, 255]], [7, [200, 40, 30, 255]]), false, false],
    ['what is hardly there', pixels([20, none], [10, [20, 20, 30, 20]]), true, true],
    ['a ground of its own', pixels([10, [0, 0, 0, 255]], [2, [255, 255, 255, 255]]), false, false],
    ['nothing', pixels([10, none]), false, false],
  ] as const)
    t.same([vanishesOn(drawn, GROUNDS.light), vanishesOn(drawn, GROUNDS.dark)], [light, dark], what)
})

t.test('previews have the accent that pages will have', async (t) => {
  t.equal(accentOn('', 'light'), 'initial', 'that of the style sheet')
  t.equal(accentOn('red', 'light'), 'initial', 'while it is being typed')
  t.equal(accentOn('#00558b', 'light'), '#00558b')
  t.not(accentOn('#00558b', 'dark'), '#00558b', 'it is made lighter')
})

t.test('filters are written a line each, and read again', async (t) => {
  const text = 'featured=true\n\n categories = concerts,3 \nnear_lat=41.9\nsticky=false'
  const filters = { featured: true, categories: 'concerts,3', near_lat: 41.9, sticky: false }
  t.same(readFilters(text), { filters })
  t.equal(
    filterText({ ...filters, include: [3, 5] }),
    'featured=true\ncategories=concerts,3\nnear_lat=41.9\nsticky=false\ninclude=3,5',
  )
  for (const wrong of ['featured', 'featured=', '=true', 'two words=1'])
    t.equal(readFilters(`sticky=true\n${wrong}`).wrong, wrong)
  t.same(readFilters(''), { filters: {} })
})
