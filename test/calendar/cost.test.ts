import fc from 'fast-check'
import t from 'tap'
import { buildCost, currencyOf, NO_COST, readCost } from '../../src/calendar/cost.ts'
import { build, EVENT } from '../support/app.ts'
import { anyText, draws } from '../support/properties.ts'

type Input = Parameters<typeof readCost>[0]
type Row = [input: Input, cost: string, symbol: string, position: string, values: string[]]

/** Asserts the whole cost of each row. */
function check(t: Tap, rows: Row[], currency = 'USD'): void {
  for (const [input, cost, symbol, position, values] of rows) {
    const { prices: _, ...shown } = buildCost(readCost(input), currency)
    const details = { currency_symbol: symbol, currency_code: '', currency_position: position, values }
    t.same(shown, { cost, cost_details: details }, JSON.stringify(input))
  }
}
type Tap = Pick<typeof t, 'same'>

t.test('a purely numeric amount gets the symbol of the site', async (t) => {
  check(t, [
    [10, '$10', '', '', ['10']],
    [10.5, '$10.5', '', '', ['10.5']],
    ['10', '$10', '', '', ['10']],
    ['12.50', '$12.50', '', '', ['12.50']],
    ['.50', '$.50', '', '', ['0.50']],
    ['007', '$007', '', '', ['7']],
  ])
  check(t, [['10', '€10', '', '', ['10']]], 'EUR')
  check(t, [['10-20', 'CHF10 – CHF20', '', '', ['10', '20']]], 'CHF')
})

t.test('an amount keeps its own symbol on its own side', async (t) => {
  check(t, [
    ['$10', '$10', '$', 'prefix', ['10']],
    ['$ 23', '$23', '$', 'prefix', ['23']],
    ['10$', '10$', '$', 'postfix', ['10']],
    ['€10', '€10', '€', 'prefix', ['10']],
    ['10 €', '10€', '€', 'postfix', ['10']],
    ['£12.50', '£12.50', '£', 'prefix', ['12.50']],
    ['US$ 10', 'US$10', 'US$', 'prefix', ['10']],
    ['USD 10', 'USD10', 'USD', 'prefix', ['10']],
    ['20 USD', '20USD', 'USD', 'postfix', ['20']],
    ['-5', '-5', '-', 'prefix', ['5']],
    ['10%', '10%', '%', 'postfix', ['10']],
  ])
})

t.test('thousands and decimals are read in both habits, and shown as written', async (t) => {
  check(t, [
    ['£1,250.50', '£1,250.50', '£', 'prefix', ['1250.50']],
    ['1.250,50 €', '1.250,50€', '€', 'postfix', ['1250.50']],
    ['1.250,50', '$1.250,50', '', '', ['1250.50']],
    ['1 250,50 €', '1 250,50€', '€', 'postfix', ['1250.50']],
    ['1\u00a0250,50\u202f€', '1\u00a0250,50€', '€', 'postfix', ['1250.50']],
    ["1'250.50", "$1'250.50", '', '', ['1250.50']],
    ['1,200', '$1,200', '', '', ['1200']],
    ['1.200', '$1.200', '', '', ['1200']],
    ['10,000', '$10,000', '', '', ['10000']],
    ['1,234,567.8', '$1,234,567.8', '', '', ['1234567.8']],
    ['₹1,00,000', '₹1,00,000', '₹', 'prefix', ['100000']],
    ['5,10', '$5,10', '', '', ['5.10']],
    ['0.500', '$0.500', '', '', ['0.500']],
  ])
  check(t, [['12.500', 'KWD12.500', '', '', ['12.500']]], 'KWD')
})

t.test('a JSON number is never taken for thousands', async (t) => {
  check(t, [
    [1.125, '$1.1250', '', '', ['1.1250']],
    [1e21, '$1000000000000000000000', '', '', ['1000000000000000000000']],
    [1e-7, '$0.0000001', '', '', ['0.0000001']],
  ])
})

t.test('several amounts show the lowest and the highest', async (t) => {
  check(t, [
    ['10-20', '$10 – $20', '', '', ['10', '20']],
    ['$10-$20', '$10 – $20', '', '', ['10', '20']],
    ['$10 – $20', '$10 – $20', '', '', ['10', '20']],
    ['20 or 5', '$5 – $20', '', '', ['5', '20']],
    ['from 5 to 15', '$5 – $15', '', '', ['5', '15']],
    ['10, 20, 30', '$10 – $30', '', '', ['10', '20', '30']],
    ['10,20,30', '$10 – $30', '', '', ['10', '20', '30']],
    ['5 10', '$5 – $10', '', '', ['5', '10']],
    ['1 250 - 2 500', '$1 250 – $2 500', '', '', ['1250', '2500']],
    ['10, 10.00', '$10', '', '', ['10']],
    [['10', '20'], '$10 – $20', '', '', ['10', '20']],
    [[20, '5', 20], '$5 – $20', '', '', ['5', '20']],
  ])
})

t.test("a range keeps a symbol which isn't the site's", async (t) => {
  check(t, [
    ['€10 - €20', '€10 – €20', '€', 'prefix', ['10', '20']],
    ['10 € - 20 €', '10€ – 20€', '€', 'postfix', ['10', '20']],
    ['von 5 bis 15 EUR', '5EUR – 15EUR', 'EUR', 'postfix', ['5', '15']],
    ['10 kr - 20 kr', '10kr – 20kr', 'kr', 'postfix', ['10', '20']],
    ['$10 - €20', '$10 – $20', '', '', ['10', '20']],
  ])
})

t.test('the items of a list share a symbol or have none', async (t) => {
  check(t, [
    [['0$', '20$', '30$'], 'Free – 30$', '$', 'postfix', ['0', '20', '30']],
    [['$10', '€20'], '$10 – $20', '', '', ['10', '20']],
    [['€10', '20'], '€10 – €20', '€', 'prefix', ['10', '20']],
    [['Adults £10', 'Children £5'], '£5 – £10', '£', 'prefix', ['5', '10']],
    [['10 a head', '5 a head'], '5 a head – 10 a head', 'a head', 'postfix', ['5', '10']],
    [['Free', '$20'], '$20', '$', 'prefix', ['free', '20']],
  ])
})

t.test('zero shows "Free"', async (t) => {
  check(t, [
    [0, 'Free', '', '', ['0']],
    ['0', 'Free', '', '', ['0']],
    ['0.00', 'Free', '', '', ['0.00']],
    ['$0', 'Free', '$', 'prefix', ['0']],
    ['£0 - £5', 'Free – £5', '£', 'prefix', ['0', '5']],
    ['Free - 20', 'Free – $20', '', '', ['0', '20']],
    ['Free – 30€', 'Free – 30€', '€', 'postfix', ['0', '30']],
  ])
})

t.test('words stay', async (t) => {
  check(t, [
    ['Free', 'Free', '', '', ['free']],
    ['free', 'free', '', '', ['free']],
    ['Donation', 'Donation', '', '', ['donation']],
    ['Pay what you can', 'Pay what you can', '', '', ['pay-what-you-can']],
    ['日本', '日本', '', '', ['%e6%97%a5%e6%9c%ac']],
    ['!!!', '!!!', '', '', ['!!!']],
    [['Free', 'Donation'], 'Free, Donation', '', '', ['free', 'donation']],
    ['£10 per person', '£10 per person', '£', 'prefix', ['10']],
    ['about 10 people', 'about 10 people', '', '', ['10']],
    ['from $10', 'from $10', '$', 'prefix', ['10']],
    ['$10 USD', '$10 USD', '$', 'prefix', ['10']],
    ['Donation 5', 'Donation 5', 'Donation', 'prefix', ['5']],
    ['€ 10,-', '€ 10,-', '€', 'prefix', ['10']],
  ])
})

t.test('an empty cost is empty', async (t) => {
  check(t, [
    ['', '', '', '', []],
    [' <b></b> ', '', '', '', []],
    [[], '', '', '', []],
    [['', ' '], '', '', '', []],
  ])
})

t.test('items are stored as plain text, and a list keeps them apart', async (t) => {
  t.same(readCost('<b>10</b> &euro;'), ['10 €'])
  t.same(readCost(['10, 20', '', 5]), ['10, 20', '5'])
})

t.test('a currency code must have three letters', async (t) => {
  t.throws(() => buildCost(['1'], '$'), RangeError)
  t.same(buildCost([], 'EUR'), NO_COST)
})

const part = fc.constantFrom(
  '0',
  '5',
  '10',
  '250',
  '000',
  '.',
  ',',
  ' ',
  '-',
  ' – ',
  '$',
  '€',
  'Free',
  'to',
  "'",
  '\u00a0',
  'USD',
  'x',
)

t.test('no input makes it fail', async () => {
  const text = anyText()
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.double()), { maxLength: 4 }), (items) => {
      return typeof buildCost(readCost(items), 'USD').cost === 'string'
    }),
    { numRuns: draws(1000) },
  )
})

t.test('values of amounts are plain ascending numbers', async () => {
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const { values } = buildCost(readCost(parts.join('')), 'USD').cost_details
      const numbers = values.filter((value) => /^\d+(\.\d+)?$/.test(value)).map(Number)
      const sorted = numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0))
      return sorted && (numbers.length === values.length || values.length === 1)
    }),
    { numRuns: draws(2000) },
  )
})

t.test('a cost which a client writes back as it was shown stays the same', async () => {
  const amount = fc.constantFrom('0', '5', '10', '12.50', '1,250.50', '1.250,50', '2 000')
  const styled = fc
    .tuple(
      fc.constantFrom('', '$', '€', '£', 'USD'),
      fc.boolean(),
      fc.array(amount, { minLength: 1, maxLength: 3 }),
    )
    .map(([symbol, before, amounts]) => amounts.map((a) => (before ? symbol + a : a + symbol)))
  fc.assert(
    fc.property(styled, (items) => {
      const { cost } = buildCost(readCost(items), 'USD')
      return buildCost(readCost(cost), 'USD').cost === cost
    }),
    { numRuns: draws(1000) },
  )
})

t.test('the currency of an offer is what its cost says, or else the site’s', async (t) => {
  const cases: [items: string[], site: string, code: string | undefined][] = [
    [['20€'], 'USD', 'EUR'],
    [['10 EUR', '20'], 'USD', 'EUR'],
    [['£5 – £7'], 'USD', 'GBP'],
    [['$10'], 'USD', 'USD'],
    [['$10'], 'CAD', 'CAD'],
    [['$10'], 'EUR', 'USD'],
    [['US$10'], 'CAD', 'USD'],
    [['¥500'], 'EUR', 'JPY'],
    [['¥500'], 'CNY', 'CNY'],
    [['100 zł'], 'EUR', 'PLN'],
    [['100 руб'], 'EUR', 'RUB'],
    [['100 kr'], 'SEK', 'SEK'],
    [['100 kr'], 'EUR', undefined],
    [['20'], 'EUR', 'EUR'],
    [['20 per person'], 'EUR', 'EUR'],
    [['Free'], 'EUR', 'EUR'],
    [['20€', '$25'], 'EUR', undefined],
    [['XQ$20'], 'EUR', undefined],
  ]
  for (const [items, site, code] of cases) t.equal(currencyOf(items, site), code, `${items} at ${site}`)
  const { editor } = await build(t)
  const offer = async (cost: unknown) => {
    const { id } = (await editor.post('/events', { ...EVENT, cost })).body
    return (await editor.get(`/events/${id}`)).body.json_ld.offers
  }
  t.match(await offer('20€'), { price: '20', priceCurrency: 'EUR' })
  t.match(await offer('20€ at 19h'), { price: '20', priceCurrency: 'EUR' })
  t.match(await offer('Donation'), { price: 'donation' })
  t.notOk('price' in (await offer('2 for 1')))
  t.notOk('priceCurrency' in (await offer('100 kr')))
})
