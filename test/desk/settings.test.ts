import t from 'tap'
import { filterText, readFilters } from '../../desk/rules/filters.ts'
import { beginningOf, clockChangeAt, currencyOf, differOn } from '../../desk/rules/zones.ts'

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

t.test('a browser tells the currency of its country', async (t) => {
  for (const [languages, currency] of [
    [['ca-ES', 'es'], 'EUR'],
    [['ca', 'en-US'], 'USD'],
    [['en-GB'], 'GBP'],
    [['zh-Hans-CN'], undefined],
    [['ca', 'es'], undefined],
    [[], undefined],
  ] as const)
    t.equal(currencyOf(languages), currency, languages.join())
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
