import t from 'tap'
import type { Mirror } from '../../../../src/features/imports/mirror/mirror.ts'
import { statusOf } from '../../../../src/features/imports/mirror/plugin.ts'
import { build } from '../../../support/app.ts'
import { DAY, mirrorOf, titlesOf, trashOf } from '../../../support/importing.ts'
import { calendarOf, openFeeds, vevent } from '../../../support/sites.ts'

t.test('a source that is down at the start is asked again', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const mirrors: Mirror[] = []
  for (const path of ['/e.ics', '/agenda']) {
    const { mirror, look } = mirrorOf(t, api, site.root + path)
    site.answers = { [path]: { status: 503 }, [`${path}/events?per_page=1`]: { status: 503 } }
    await t.rejects(look(), /answers 503, 5 times/)
    site.answers = { [path]: { body: calendarOf(vevent(path, 3)) } }
    await look()
    t.match(mirror.status(), { state: 'following' })
    mirrors.push(mirror)
  }
  t.match(statusOf(mirrors), { state: 'following', lag: 2 * 15 * 60, failures: 0, sources: [{}, {}] })
  t.same(await titlesOf(api), ['/agenda', '/e.ics'])
})

t.test('what is no calendar, not whole, or not there changes nothing', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const body = calendarOf(vevent('one', 3), vevent('two', 4))
  site.answers['/e.ics'] = { body, modified: 'Thu, 26 Nov 2026 10:00:00 GMT' }
  const { mirror, look } = mirrorOf(t, api, `${site.root}/e.ics`)
  await look()
  const before = await api.fingerprint()
  for (const [answer, why] of [
    [{ body: body.slice(0, -60) }, /answers with a calendar that ends too early/],
    [{ body: body.slice(0, 100), isCut: true }, /can not be read \(.*\), 5 times/],
    [
      { body: '<!DOCTYPE html><h1>Sign in</h1>', type: 'text/html' },
      /something else than a calendar or a feed/,
    ],
    [{ body: '{"events":[]}' }, /something else than a calendar/],
    [{ body: '<opml><rss/></opml>' }, /something else than a calendar/],
    [{ body: '' }, /something else than a calendar/],
    [{ status: 410 }, /answers 410/],
    [{ status: 500 }, /answers 500, 5 times/],
    [{ body: '<rss version="2.0"><channel><item>' }, /XML that is broken or ends too early/],
  ] as const) {
    site.answers['/e.ics'] = answer
    await t.rejects(look(), why)
    t.match(mirror.status(), { state: 'failing', trouble: why })
    t.equal(await api.fingerprint(), before)
  }
  t.notMatch(mirror.status().trouble, /e\.ics/, 'the address may be a secret')
  // unreadable lines may have been an event
  site.answers['/e.ics'] = { body: calendarOf(vevent('two', 4, '\u0000')) }
  await look()
  t.same(await trashOf(api), [])
  t.match(mirror.status(), { state: 'following', refused: 1 })

  site.answers['/moved'] = { body: calendarOf(vevent('one', 3)) }
  site.answers['/e.ics'] = { status: 301, location: '/moved' }
  await look()
  t.same(await trashOf(api), ['two'], 'a redirect is followed')
})

t.test('a feed that loses much waits for a person, and each item that is refused is named', async (t) => {
  const site = await openFeeds(t)
  const api = await build(t)
  const many = Array.from({ length: 14 }, (_, at) => vevent(`e${at}`, at + 3))
  site.answers['/e.ics'] = { body: calendarOf(...many), modified: 'x' }
  const { mirror, look, heard } = mirrorOf(t, api, `${site.root}/e.ics`, { category: 'Sport' })
  await look()
  site.answers['/e.ics'] = { body: calendarOf(...many.slice(0, 3)) }
  await t.rejects(look(), /^11 of 14 records .*--force/)
  t.match(mirror.status(), { state: 'waiting' })
  t.same(await trashOf(api), [])
  const bad = ['UID:bad', 'DTSTART:tomorrow', 'SUMMARY:Bad']
  site.answers['/e.ics'] = { body: calendarOf(...many, bad), modified: 'y' }
  await look(DAY)
  await look()
  t.same(heard, ['Bad: DTSTART is "tomorrow", which is no date such as 20270514T200000'])
  t.match(mirror.status(), { state: 'following', refused: 1 })
})
