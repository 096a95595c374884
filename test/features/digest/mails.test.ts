import t from 'tap'
import { digests } from '../../../drizzle/tables.ts'
import { weekOf } from '../../../src/features/digest/events.ts'
import { confirmationMail } from '../../../src/features/digest/mail.ts'
import { openSending } from '../../../src/features/digest/sending.ts'
import ca from '../../../words/ca/digest-mail.json' with { type: 'json' }
import de from '../../../words/de/digest-mail.json' with { type: 'json' }
import en from '../../../words/en/digest-mail.json' with { type: 'json' }
import es from '../../../words/es/digest-mail.json' with { type: 'json' }
import fr from '../../../words/fr/digest-mail.json' with { type: 'json' }
import it from '../../../words/it/digest-mail.json' with { type: 'json' }
import pt from '../../../words/pt/digest-mail.json' with { type: 'json' }
import { must } from '../../support/answers.ts'
import { countOf } from '../../support/app.ts'
import {
  ANNA,
  buildDigest,
  DAY,
  HOUR,
  linkIn,
  MINUTE,
  mailsOf,
  post,
  publish,
  subscribe,
} from '../../support/digests.ts'

/** Thursday at 8:00 in Madrid, with the time until what was published before is told of. */
const THURSDAY = Date.parse('2026-11-26T07:10:00Z')

t.test('weekly mails are written on Thursday at 8 of the zone of the site', async (t) => {
  for (const [until, week] of [
    ['2026-11-26 06:59:59', '2026-11-19 07:00:00'],
    ['2026-11-26 07:00:00', '2026-11-26 07:00:00'],
    ['2026-11-29 23:59:00', '2026-11-26 07:00:00'],
    ['2026-12-03 06:00:00', '2026-11-26 07:00:00'],
    ['2027-04-01 06:00:00', '2027-04-01 06:00:00'],
  ] as const)
    t.equal(weekOf(until, 'Europe/Madrid'), week)
})

t.test(
  'a weekly mail has what begins within seven days and what is new, in local times, with what ends it',
  async (t) => {
    const api = await buildDigest(t, { LANGUAGES: 'en,ca' })
    const { look, clock } = api
    await publish(api, 'Known', '2026-11-28 20:00:00', { venue: { venue: 'Mill', city: 'Vic' }, cost: '5' })
    await publish(api, 'Over', '2026-11-22 20:00:00')
    clock.now += HOUR
    const own = await subscribe(api)
    await publish(api, 'New & <far>', '2027-02-03 10:00:00', { timezone: 'Asia/Tokyo' })
    await publish(api, 'New and near', '2026-11-27 10:00:00', { all_day: true, end_date: '2026-11-29' })
    await publish(api, 'Cancelled', '2026-11-28 10:00:00', { event_status: 'cancelled' })
    await publish(api, 'Hidden', '2026-11-28 10:00:00', { hide_from_listings: true })
    await publish(api, 'Català', '2026-11-28 10:00:00', { i18n_language: 'ca' })
    clock.now = THURSDAY - MINUTE
    t.same(await look(), [], 'it is not Thursday yet')
    clock.now = THURSDAY
    const [mail, ...others] = await look()
    t.same(others, [])
    t.match(mail, { recipient: ANNA, subject: 'Town: the next seven days', topic: 'digest 1' })
    const link = `http://calendar.test${own.slice(1)}`
    t.same(mail!.headers, {
      'List-Id': '<digest.calendar.test>',
      'List-Unsubscribe': `<${link}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      Precedence: 'list',
    })
    t.equal(
      mail!.text,
      `THE NEXT SEVEN DAYS

Friday, November 27, 2026
All day · until Sun, Nov 29  New and near
  http://calendar.test/event/new-and-near/

Saturday, November 28, 2026
8:00 PM  Known
  Mill, Vic · $5
  http://calendar.test/event/known/

NEW IN THE CALENDAR

Wednesday, February 3, 2027
10:00 AM JST  New & <far>
  http://calendar.test/event/new-far/

-- 
You get this mail because this address is subscribed to events of Town.
Once a week

Change or unsubscribe:
${link}
`,
    )
    t.match(mail!.html, 'New &amp; &lt;far&gt;')
    t.match(mail!.html, /prefers-color-scheme:dark/)
    t.notMatch(mail!.html, /<img|src=|@import|url\(/, 'nothing is loaded')
    t.same(await look(), [], 'once')
    clock.now += 7 * DAY
    t.same(await look(), [], 'nothing is new, and nothing begins')
  },
)

t.test('what is published is told of after ten minutes, together, and once an hour at most', async (t) => {
  const api = await buildDigest(t)
  const { look, clock } = api
  await publish(api, 'Before', '2026-12-01 20:00:00')
  await subscribe(api, { every: 'publication' })
  await publish(api, 'First', '2026-12-02 20:00:00')
  clock.now += HOUR
  t.same(await look(), [], 'an hour after the last look')
  clock.now += 10 * MINUTE
  const [first, ...none] = await look()
  t.same(none, [])
  t.match(first, { subject: 'Town: First', text: /^NEW IN THE CALENDAR\n\nWednesday/ })
  t.notMatch(first!.text, /Before|SEVEN/)
  await publish(api, 'Second', '2026-12-02 20:00:00')
  await publish(api, 'Third', '2026-12-02 20:00:00', { status: 'draft' })
  clock.now += 20 * MINUTE
  t.same(await look(), [])
  clock.now += 41 * MINUTE
  await must(
    api.editor.post('/events', {
      title: 'Fourth',
      start_date: '2026-12-02 22:00:00',
      end_date: '2026-12-02 23:00:00',
    }),
  )
  clock.now += 11 * MINUTE
  const [both] = await look()
  t.match(both, { subject: 'Town: 2 new events' })
  t.match(both!.text, /Second[\s\S]*Fourth/)
  t.match(both!.html, '<div class="next"><p class="soft">10:00 PM</p>')
  clock.now += 2 * HOUR
  const [third] = (await must(api.editor.get('/events?status=draft'))).events
  await must(api.editor.patch(`/events/${third.id}`, { status: 'publish', title: 'Third at last' }))
  await must(api.editor.patch(`/events/${third.id}`, { description: 'Changed' }))
  clock.now += 11 * MINUTE
  t.match(await look(), [{ subject: 'Town: Third at last' }])
})

t.test('a series is one entry, and is new once', async (t) => {
  const api = await buildDigest(t)
  const { look, clock } = api
  await subscribe(api)
  await subscribe(api, { email: 'b@people.example', every: 'publication' })
  const weekly = { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5' } }
  await publish(api, 'Choir', '2026-11-24 20:00:00', weekly)
  await publish(api, 'Later', '2027-01-05 20:00:00', weekly)
  clock.now += 90 * MINUTE
  const [published] = await look()
  t.match(published!.text, /Nov[^\n]*\n[^\n]*Choir[\s\S]*4 more dates[\s\S]*Later\n/)
  t.equal(published!.text.match(/Choir/g)!.length, 1)
  clock.now = THURSDAY
  const [week] = await look()
  t.match(week!.text, /SEVEN DAYS\n\nTuesday, December 1, 2026\n[^\n]*Choir[\s\S]*NEW IN[\s\S]*Later/)
  t.equal(week!.text.match(/ Choir/g)!.length, 1)
  t.match(week!.html, 'Later</a></h3>\n<p class="soft">4 more dates</p>')
})

t.test('a mail has what was chosen: of some categories, in a town, with words', async (t) => {
  const api = await buildDigest(t, { SITE_COLOR: '#2e7d32' })
  const { look, clock } = api
  await publish(api, 'Before', '2026-12-01 20:00:00', {
    categories: ['Music', 'Theatre'],
    venue: { venue: 'Hall', city: 'Olot' },
  })
  await publish(api, 'Early', '2026-12-01 20:00:00', { venue: { venue: 'Mill', city: 'Vic' } })
  const choices = {
    a: { category: '1' },
    b: { town: 'Vic' },
    c: { q: 'jazz' },
    d: { q: 'jazz', town: 'Olot' },
  }
  for (const [name, choice] of Object.entries(choices))
    await subscribe(api, { email: `${name}@people.example`, every: 'publication', ...choice })
  await publish(api, 'Jazz in Vic', '2026-12-05 20:00:00', {
    categories: ['Music'],
    venue: { venue: 'Square', city: 'VIC' },
  })
  await publish(api, 'Play', '2026-12-05 20:00:00', {
    categories: ['Theatre'],
    venue: { venue: 'Other hall', city: 'Olot' },
  })
  clock.now += 2 * HOUR
  const told = (await look()).map(({ recipient, subject }) => [recipient[0], subject])
  t.same(told.sort(), [
    ['a', 'Town: Jazz in Vic'],
    ['b', 'Town: Jazz in Vic'],
    ['c', 'Town: Jazz in Vic'],
  ])
  // what a choice names may be gone: nothing has it then, and it is not all
  for (const { id } of (await must(api.editor.get('/venues'))).venues)
    await must(api.editor.patch(`/venues/${id}`, { city: 'Berga' }))
  await publish(api, 'Jazz again', '2026-12-06 20:00:00', { venue: { venue: 'Square' } })
  clock.now += 2 * HOUR
  t.same(
    (await look()).map(({ recipient }) => recipient[0]),
    ['c'],
  )
  t.match((await mailsOf(api)).length, 0)
})

t.test('a mail of many events says how many more there are', async (t) => {
  const api = await buildDigest(t)
  await subscribe(api, { every: 'publication' })
  for (let at = 10; at < 33; at++) await publish(api, `Number ${at}`, `2026-12-${Math.min(at, 31)} 20:00:00`)
  api.clock.now += 2 * HOUR
  const [mail] = await api.look()
  t.match(mail, { subject: 'Town: 23 new events', text: /Number 29\n[\s\S]*\nand 3 more\n/ })
  t.match(mail!.html, '<a href="http://calendar.test/events/">and 3 more</a>')
})

t.test('several addresses are told one after the other, and nothing twice', async (t) => {
  const api = await buildDigest(t)
  const { write, clock, app } = api
  for (const name of ['a', 'b', 'c'])
    await subscribe(api, {
      email: `${name}@people.example`,
      every: 'publication',
      ...(name === 'b' && { q: 'nothing' }),
    })
  await publish(api, 'Concert', '2026-12-02 20:00:00')
  clock.now += 2 * HOUR
  Object.assign(app.store.db, { fresh: async () => 1 })
  await write()
  t.equal(countOf(api, 'mails'), 0, 'another node may have told it: that is to come first')
  Object.assign(app.store.db, { fresh: async () => 0 })
  await write()
  t.equal(countOf(api, 'mails'), 1, 'one a look')
  await Promise.all([write(), write()])
  await write()
  t.same(
    (await mailsOf(api)).map(({ recipient }) => recipient[0]),
    ['a', 'c'],
  )
})

t.test('an address is deleted after three mails that no server takes, with those that wait', async (t) => {
  const api = await buildDigest(t)
  const { write, clock, app } = api
  await subscribe(api, { every: 'publication' })
  const { mails } = app.store
  async function next(isSent: boolean) {
    await publish(api, 'Concert', '2027-03-02 20:00:00')
    clock.now += 2 * HOUR
    await write()
    const [mail] = await mailsOf(api)
    await mails.finish(mail!, isSent)
    return app.store.db.rows<[number]>('select failures from digests')[0]?.[0]
  }
  t.equal(await next(false), 1)
  t.equal(await next(false), 2)
  t.equal(await next(true), 0)
  t.equal(await next(true), 0)
  t.equal(await next(false), 1)
  t.equal(await next(false), 2)
  t.equal(await next(false), undefined)
  t.equal(countOf(api, 'mails'), 0)
  await app.store.db.write((tx) =>
    mails.add(tx, { recipient: ANNA, subject: 'x', text: 'x', topic: 'digest 1' }),
  )
  await app.store.db.write((tx) =>
    mails.add(tx, { recipient: ANNA, subject: 'x', text: 'x', topic: 'other 1' }),
  )
  for (const mail of await mailsOf(api)) await mails.finish(mail, true)
  t.equal(countOf(api, 'mails'), 0, 'of what is gone, and of others')
})

t.test('whoever ends a subscription gets no mail that waits', async (t) => {
  const api = await buildDigest(t)
  const own = await subscribe(api, { every: 'publication' })
  await publish(api, 'Concert', '2026-12-02 20:00:00')
  api.clock.now += 2 * HOUR
  await api.write()
  const [mail] = await mailsOf(api)
  t.equal(linkIn(mail!.text), own)
  await post(api, own)
  t.equal(countOf(api, 'mails'), 0)
})

t.test('mails are in the language of the page, and in the first one if the site has lost that', async (t) => {
  const api = await buildDigest(t, { LANGUAGES: 'en,ca' })
  const { app, clock, service } = api
  await subscribe(api, { every: 'publication' }, '//ca/events/digest/')
  await publish(api, 'Concert', '2026-12-02 20:00:00', { i18n_language: 'ca' })
  clock.now += 2 * HOUR
  const [mail] = await api.look()
  t.match(mail!.text, /^NOVETATS DE L’AGENDA\n\nDimecres, 2 de desembre del 2026\n20:00 {2}Concert\n/)
  t.match(mail!.html, '<html lang="ca" dir="ltr">')
  await publish(api, 'Altre', '2026-12-02 20:00:00', { i18n_language: 'ca' })
  clock.now += 2 * HOUR
  const { viewIn, front } = app.pages!
  await openSending(service, { viewIn, front: { ...front, languages: ['en'] } })()
  t.match(await mailsOf(api), [{ text: /^NEW IN THE CALENDAR/ }])
})

t.test('mails are in English where the service has no words of a language', async (t) => {
  const { app } = await buildDigest(t)
  const view = { ...app.pages!.viewIn('en'), language: 'eu' }
  const mail = confirmationMail(
    { view, color: '', recipient: ANNA, choice: 'All' },
    '/events/digest/confirm/x/',
  )
  t.equal(mail.subject, 'Please confirm: events of Town by email')
})

t.test('a look passes over some addresses that there is nothing for, and the next one goes on', async (t) => {
  const api = await buildDigest(t)
  const { app, write, clock } = api
  const wants = { every: 'publication', language: 'en', filters: { q: 'nothing' } } as const
  const at = '2026-11-21 08:00:00'
  await app.store.db.write(async (tx) => {
    for (let one = 0; one < 51; one++) {
      const email = `a${one}@people.example`
      const own = { email, folded: email, created_utc: at, confirmed_utc: at, told_utc: at }
      await tx.insert(digests).values({ ...own, ...wants })
    }
  })
  await publish(api, 'Concert', '2026-12-02 20:00:00')
  clock.now += 2 * HOUR
  const left = () =>
    app.store.db.rows<[number]>(`select count(*) from digests where told_utc = '${at}'`)[0]![0]
  await write()
  t.equal(left(), 1)
  await write()
  t.equal(left(), 0)
})

t.test('each language says the same with the same places', async (t) => {
  const placesOf = (words: object) =>
    Object.entries(words).map(([name, text]) => [
      name,
      [...new Set(JSON.stringify(text).match(/\{\w+\}/g))].sort(),
    ])
  for (const words of [ca, de, es, fr, it, pt]) t.same(placesOf(words), placesOf(en))
})
