import t from 'tap'
import { currencyOf } from '../../src/rules/currencies.ts'
import { build, EVENT } from '../support/app.ts'

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
  t.notOk('priceCurrency' in (await offer('100 kr')))
})
