import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)

t.test(
  'what an administrator sets at one node shows at the others, which start anew if they must',
  async (t) => {
    const { one, two, as } = await openPair(t, postgres)
    const page = async () => (await one.anonymous.get('//events/')).text
    t.match(await page(), '· Almanac</title>')
    let heard = 0
    one.app.store.settings.onStored(() => heard++)
    const admin = as('administrator')
    await must(two.anonymous.patch('/settings', { name: 'Vic', color: '#00558b' }, admin))
    await follow(one)
    t.match(await page(), '· Vic</title>')
    t.equal(heard, 0)
    const { body, headers } = await one.anonymous.get('/settings', undefined, admin)
    t.match(body, { name: 'Vic', color: '#00558b' })
    t.equal((await two.anonymous.get('/settings', undefined, admin)).headers.etag, headers.etag)
    await must(two.anonymous.patch('/settings', { timezone: 'Europe/Madrid', currency: 'EUR' }, admin))
    await follow(one)
    t.equal(heard, 1)
    t.match(await must(one.anonymous.get('/settings', undefined, admin)), {
      ...{ timezone: 'Europe/Madrid', currency: 'EUR', confirmed: true },
    })
  },
)
