import t from 'tap'
import { buildCost, isFree } from '../../src/calendar/cost.ts'

/** Costs, each with what of it is a price. */
const PRICES = `
10                                  | 10
12,50                               | 12.50
10-20                               | 10 20
from 5 to 15                        | 5 15
de 5 a 10                           | 5 10
10, 20, 30                          | 10 20 30
5 10                                | 5 10
-5                                  | 5
10 €                                | 10
€10                                 | 10
USD 10                              | 10
20 euros                            | 20
CHF 5.–                             | 5
Adults £10                          | 10
10 €/persona                        | 10
2x10€                               | 10
€ 10 € 20                           | 10 20
1.250,50 €                          | 1250.50
10 € (20% off)                      | 10
5 €10                               | 10
2 10€                               | 10
10/12 €                             | 10 12
$10-20                              | 10 20
10, 20 or 30 €                      | 10 20 30
Entrada 10-15 €                     | 10 15
5 - 10 euros a head                 | 5 10
10 € anticipada / 12 € taquilla     | 10 12
Free – 12 €                         | 0 12
2 for 1                             |
50% discount                        |
10%                                 |
gratuït menors 12 anys              |
free beer                           |
1h 30                               |
Any 2026                            |
Nr. 5                               |
100 places                          |
0% fees                             |
1+1                                 |
10 a head                           |
10€ at 20h                          | 10
10€ - 20h                           | 10
a les 20.30, 10€                    | 10
18+ 10€                             | 10
dijous 20, 10€                      | 10
12/05 10€                           | 10
3 days 30€                          | 30
10€ (5 fins 12 anys)                | 10
Children under 5 free, adults 10 €  | 10
Bis 12 Jahre frei, sonst 5 €        | 5`

t.test('a number is a price where it is alone or belongs to a currency', async (t) => {
  for (const line of PRICES.trim().split('\n')) {
    const [cost, prices] = line.split('|').map((cell) => cell.trim()) as [string, string]
    t.same(buildCost([cost], 'EUR').prices, prices.split(' ').filter(Boolean), cost)
  }
  t.same(
    buildCost(['20 €', '2 for 1', '5', '20 €'], 'EUR').prices,
    ['5', '20'],
    'each item by itself, in order',
  )
  t.same(buildCost(['2 for 1'], 'EUR').cost_details.values, ['1', '2'], 'what clients see is as it was')
})

t.test('a cost is free if all of it is nothing, or is said to be free', async (t) => {
  for (const items of [
    ['0'],
    ['0 €'],
    ['0,00 €'],
    ['Free'],
    ['free'],
    ['Gratuït'],
    ['gratis'],
    ['Entrada libre'],
    ['Eintritt frei'],
    ['Entrée libre'],
    ['Ingresso libero'],
    ['Free', '0'],
  ])
    t.ok(isFree(items), items.join())
  for (const items of [
    [],
    ['12'],
    ['Free – 12 €'],
    ['Free', '5'],
    ['0', '5'],
    ['Pay what you can'],
    ['Donation'],
    ['free beer'],
    ['0% fees'],
    ['gratuït menors 12 anys'],
  ])
    t.notOk(isFree(items), items.join())
})
