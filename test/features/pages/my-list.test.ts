import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const add = async (api: Api, title: string, day: string, more: object = {}): Promise<number> => {
  const dates = { start_date: `${day} 20:00:00`, end_date: `${day} 22:00:00` }
  return (await must(api.editor.post('/events', { ...EVENT, title, ...dates, ...more }))).id
}

/** Events of three days in two languages: one that is over, one that is cancelled, and some that visitors do not see. */
async function fill(api: Api) {
  return {
    later: await add(api, 'Later', '2026-12-05', { event_status: 'cancelled' }),
    soon: await add(api, 'Aviat', '2026-11-22', { i18n_language: 'ca', hide_from_listings: true }),
    over: await add(api, 'Over', '2026-11-10'),
    draft: await add(api, 'Draft', '2026-11-23', { status: 'draft' }),
  }
}

t.test('the page of the own list says what it is, and knows no events', async (t) => {
  const api = await build(t)
  const { status, text, headers } = await visit(api, '/events/my-list/')
  t.equal(status, 200)
  t.ok(headers.etag)
  t.same(textsOf(text, 'h1'), ['My list'])
  t.same(textsOf(text, 'h2'), ['Your list is empty'])
  t.match(text, '<noscript>')
  t.notMatch(text, 'noindex')
  t.match(text, 'href="http://calendar.test/ca/events/my-list/"')
  t.same(textsOf((await visit(api, '/ca/events/my-list/')).text, 'h1'), ['La meva llista'])
})

t.test('a shared list has the published events of its address by day, past ones at the end', async (t) => {
  const api = await build(t)
  const { later, soon, over, draft } = await fill(api)
  const path = `/events/my-list/?events=${over},${later},${draft},%20${soon},${later},99999`
  const { status, text, headers } = await visit(api, path)
  t.equal(status, 200)
  t.same(textsOf(text, 'h1'), ['A list for you'])
  t.same(textsOf(text, 'h3'), ['Aviat', 'Later Cancelled', 'Over'])
  t.same(textsOf(text, 'h2').at(-2), 'Past events')
  t.match(text, '3 events <span>2 events are no longer in this calendar.</span>')
  t.notMatch(text, 'Draft')
  t.match(text, '<meta name="robots" content="noindex">')
  const own = `/events/my-list/?events=${soon},${later},${over}`
  t.match(text, `data-url="http://calendar.test${own}"`)
  t.match(text, `<link rel="canonical" href="http://calendar.test${own}">`)
  t.ok(attributesOf(text, 'a', 'href').includes(`/ca${own}`), 'in the other language with the same events')
  const again = { headers: { 'if-none-match': headers.etag! } }
  t.equal((await api.anonymous.get(`/${path}`, undefined, again)).status, 304)
  // the cancelled one is over, and the page another one
  api.clock.now = Date.parse('2026-12-06T12:00:00Z')
  t.same(textsOf((await visit(api, path)).text, 'h2').at(-4), 'Past events')
})

t.test('a list of nothing that is left says so, and a wrong address as well', async (t) => {
  const api = await build(t)
  const { text } = await visit(api, '/events/my-list/?events=7')
  t.match(text, '1 event is no longer in this calendar.')
  t.notMatch(text, 'class="take"')
  const many = Array.from({ length: 51 }, (_, at) => at + 1).join()
  for (const wrong of ['0', 'a', '1,,2', '1.5', '-1', '1;2', '9'.repeat(16), many])
    t.equal((await visit(api, `/events/my-list/?events=${wrong}`)).status, 400, wrong)
  t.match((await visit(api, '/es/events/my-list/?events=x')).text, 'Esta dirección no se puede leer')
  t.equal((await visit(api, '/events/subscribe/?include=x')).status, 400)
})

t.test('one subscribes to exactly the events of a list, whatever happens to them', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'http://calendar.test/town' } })
  const { later, soon, over, draft } = await fill(api)
  await add(api, 'Another', '2026-11-22')
  const page = await visit(api, `/town/ca/events/my-list/?events=${later},${soon},${over}`)
  const [link] = attributesOf(page.text, 'a', 'href').filter((href) => href.includes('?include='))
  t.equal(link, `/town/ca/events/subscribe/?include=${encodeURIComponent([soon, later, over].join())}`)
  const { text } = await visit(api, link!)
  t.match(text, 'La meva llista')
  t.match(text, 'noindex')
  const [address] = textsOf(text, 'code')
  const root = 'http://calendar.test/town/calendar/events/v1'
  t.equal(address, `${root}/events.ics?include=${encodeURIComponent([soon, later, over].join())}`)
  const summaries = async () => {
    const feed = await api.anonymous.get(
      `//town${new URL(address!).pathname.slice(5)}${new URL(address!).search}`,
    )
    t.equal(feed.status, 200)
    return [...feed.text.matchAll(/^(?:SUMMARY|STATUS)[^:]*:(.*?)\r?$/gm)].map(([, value]) => value)
  }
  const before = await summaries()
  for (const title of ['Aviat', 'Over']) t.ok(before.includes(title), title)
  t.ok(before.includes('CANCELLED'))
  t.notOk(before.includes('Another'))
  api.clock.now = Date.parse('2027-06-01T12:00:00Z')
  t.same(await summaries(), before, 'the address stays valid when all are over')
  await must(api.editor.delete(`/events/${over}`))
  t.equal((await summaries()).includes('Over'), false)
  t.ok(draft)
})

t.test('the longest list is small', async (t) => {
  const api = await build(t)
  const ids: number[] = []
  for (let at = 0; at < 50; at++)
    ids.push(
      await add(
        api,
        `A rather long title of an event, as people like to write them, number ${at}`,
        '2026-11-22',
        {
          description: `<p>${'What happens there, in many words. '.repeat(20)}</p>`,
          venue: { venue: `The hall of the old factory ${at % 5}`, city: 'Barcelona' },
          categories: ['Jazz'],
          cost: '12 €',
        },
      ),
    )
  const { text } = await visit(api, `/events/my-list/?events=${ids}`)
  t.equal(textsOf(text, 'h3').length, 50)
  t.notMatch(text, 'class="teaser"')
  const files = [...text.matchAll(/"\/assets\/([\w-]+\.(?:css|js))"/g)].map(([, name]) => `//assets/${name}`)
  let bytes = Buffer.byteLength(text)
  for (const file of files) bytes += Buffer.byteLength((await api.anonymous.get(file)).text)
  t.ok(bytes < 60_000, `${bytes} bytes`)
  const few = await visit(api, `/events/my-list/?events=${ids.slice(0, 30)}`)
  t.match(few.text, 'class="teaser"')
})

t.test('stars are added to what has an ID, by what the header says', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'http://calendar.test/town' } })
  const id = await add(api, 'Concert', '2026-11-22')
  const series = await must(
    api.editor.post('/events', {
      ...{ ...EVENT, title: 'Choir', start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' },
      recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
    }),
  )
  const list = await visit(api, '/town/ca/events/')
  t.equal(attributesOf(list.text, 'a', 'data-list')[0], '/town/')
  t.equal(attributesOf(list.text, 'a', 'data-add')[0], 'Afegeix {title} a la meva llista')
  const shown = await visit(api, '/town/events/')
  t.same(attributesOf(shown.text, 'li', 'data-event'), [String(id), String(series.id)])
  t.same(attributesOf((await visit(api, '/town/event/concert/')).text, 'article', 'data-event'), [String(id)])
  const dates = await visit(api, '/town/series/choir/')
  t.equal(attributesOf(dates.text, 'li', 'data-event').length, 2)
  t.same(attributesOf(dates.text, 'article', 'data-event'), [])
})
