import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

const DAY = { all_day: true, start_date: '2026-12-05', end_date: '2026-12-05' }
const add = (api: Api, more: object) => must(api.editor.post('/events', { ...EVENT, ...DAY, ...more }))
const titles = (html: string) => textsOf(html, 'h3').join()

t.test('a list leads to the month of its first event, with its filters', async (t) => {
  const api = await build(t)
  const venue = { venue: 'Hall' }
  await add(api, {
    title: 'Jazz',
    categories: ['Music'],
    tags: ['live'],
    venue,
    organizer: { organizer: 'Guild' },
  })
  await add(api, { title: 'Old', start_date: '2026-03-05', end_date: '2026-03-05', categories: ['Music'] })
  const months = async (path: string) => {
    const { text } = await visit(api, path)
    return attributesOf(text, 'a', 'href').filter((href) => /\/events\/month\/\d/.test(href))
  }
  for (const [path, month] of [
    ['/events/', '/events/month/2026-12/'],
    ['/events/?when=past', '/events/month/2026-03/'],
    [
      '/events/?search=jazz&category=music&tag=live&venue=hall',
      '/events/month/2026-12/?search=jazz&category=music&tag=live&venue=hall',
    ],
    ['/ca/events/?language=all', '/ca/events/month/2026-12/?language=all'],
    ['/venue/hall/', '/events/month/2026-12/?venue=hall'],
    ['/venue/hall/?tag=live', '/events/month/2026-12/?tag=live&venue=hall'],
    ['/events/category/music/', '/events/month/2026-12/?category=music'],
    ['/events/tag/live/', '/events/month/2026-12/?tag=live'],
  ] as const) {
    t.same(await months(path), [month], path)
    t.match(
      titles((await visit(api, month)).text.replace(/<li>/g, '<h3>').replace(/<\/li>/g, '</h3>')),
      /Jazz|Old/,
      month,
    )
  }
  t.same(await months('/organizer/guild/'), [], 'months have no filter of organizers')
  t.same(await months('/events/?search=none'), [])
})

t.test('a search stands in its field, and who finds nothing can clear the filters', async (t) => {
  const api = await build(t)
  await add(api, { title: 'Jazz' })
  const { text } = await visit(api, '/events/?search=%22x%20y%22&when=past')
  t.same(attributesOf(text, 'input', 'value').slice(0, 3), ['"x y"', 'past', '"x y"'])
  t.match(text, '<p><a href="/events/?when=past">Clear filters</a></p>')
  t.match(text, '<title>Events with “&quot;x y&quot;” · Almanac</title>')
  const past = await visit(api, '/events/?when=past')
  t.notMatch(past.text, 'Clear filters')
  t.match(past.text, '<title>Past events · Almanac</title>')
  t.notMatch(past.text, / type="search"[^>]* value="[^"]/)
})

t.test('a long headline is smaller', async (t) => {
  const api = await build(t)
  await add(api, { title: 'x'.repeat(61), slug: 'long' })
  await add(api, { title: 'x'.repeat(60), slug: 'short' })
  t.match((await visit(api, '/event/long/')).text, '<h1 class="long">x')
  t.match((await visit(api, '/event/short/')).text, '<h1>x')
})

t.test('a venue is named by its slug, its name or words of it', async (t) => {
  const api = await build(t)
  await add(api, { title: 'Play', venue: { venue: 'Théâtre de l’Étoile' } })
  await add(api, { title: 'Film', venue: { venue: 'Cinéma du Port' } })
  await must(api.editor.post('/venues', { venue: 'Cellar', status: 'private' }))
  await must(api.editor.post('/venues', { venue: 'Empty port' }))
  for (const [name, shown] of [
    ['theatre-de-letoile', 'Play'],
    ['Étoile', 'Play'],
    ['Cinéma du Port', 'Film'],
    ['théatre étoile', 'Play'],
    ['port', 'Film'],
  ] as const) {
    const { status, text } = await visit(api, `/events/?venue=${encodeURIComponent(name)}`)
    t.same([status, titles(text)], [200, shown], name)
    t.match(text, `Show as a month`)
    t.match(
      text,
      shown === 'Play' ? '?venue=theatre-de-letoile"' : '?venue=cinema-du-port"',
      'links have its slug',
    )
  }
  for (const name of ['cellar', 'nothing', '&', `${'port '.repeat(250)}`]) {
    const { status, text } = await visit(api, `/events/?venue=${encodeURIComponent(name)}`)
    t.equal(status, 404, name)
    t.match(text, 'This filter does not exist')
  }
})

t.test('with many venues their filter is a field that suggests the newest', async (t) => {
  const api = await build(t)
  const form = async (query = '') => (await visit(api, `/events/${query}`)).text.split('</details>')[0]!
  for (let number = 1; number <= 100; number++) await add(api, { venue: { venue: `Hall ${number}` } })
  t.equal(/<select id="filter-venue".*?<\/select>/s.exec(await form())![0].match(/<option/g)!.length, 101)
  await add(api, { venue: { venue: 'Hall 101' } })
  const text = await form()
  t.notMatch(text, '<select id="filter-venue"')
  t.match(
    text,
    '<input id="filter-venue" name="venue" list="venues" maxlength="200" placeholder="All" value="">',
  )
  const suggested = attributesOf(/<datalist id="venues">.*?<\/datalist>/s.exec(text)![0], 'option', 'value')
  t.equal(suggested.length, 30)
  t.ok(suggested.includes('Hall 101'))
  t.match(await form('?venue=hall-77'), 'placeholder="All" value="Hall 77">')
  t.match(await form('?venue=Hall+1'), 'placeholder="All" value="Hall 1">')
})

t.test('filtered months and days are not for robots, and the site map has none', async (t) => {
  const api = await build(t)
  await add(api, { title: 'Jazz', categories: ['Music'] })
  for (const page of ['/events/month/2026-12/', '/events/day/2026-12-05/']) {
    const isHidden = async (query: string) =>
      (await visit(api, page + query)).text.includes('<meta name="robots" content="noindex">')
    t.notOk(await isHidden(''), page)
    t.ok(await isHidden('?category=music'), page)
    t.ok(await isHidden('?language=all'), page)
  }
  t.notMatch((await visit(api, '/sitemap-list-1.xml')).text, 'month')
})

t.test('small pictures have no wider versions than a screen can show', async (t) => {
  const api = await build(t)
  const { default: sharp } = await import('sharp')
  const picture = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#a31' } })
    .jpeg()
    .toBuffer()
  const headers = { 'content-type': 'image/jpeg', 'content-disposition': 'attachment; filename="a.jpg"' }
  const { id } = await must(api.editor.post('/media', picture, { headers }))
  await add(api, { slug: 'pictured', image: id })
  const widths = async (path: string) => {
    const [set] = attributesOf((await visit(api, path)).text, 'img', 'srcset')
    return [...set!.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width))
  }
  t.same(await widths('/events/'), [300, 768])
  t.same(await widths('/event/pictured/'), [300, 768, 1024, 1536, 1600])
})
