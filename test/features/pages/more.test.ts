import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { wordsOf } from '../../../src/features/pages/words.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

const DAY = { start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' }

t.test('pictures are offered in several widths, each of this site', async (t) => {
  const api = await build(t)
  const bytes = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#a31' } })
    .jpeg()
    .toBuffer()
  const small = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#a31' } })
    .png()
    .toBuffer()
  const upload = (bytes: Buffer, name: string, type: string) =>
    must(
      api.editor.post('/media', bytes, {
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="${name}"` },
      }),
    )
  const { id, source_url } = await upload(bytes, 'poster.jpg', 'image/jpeg')
  const icon = await upload(small, 'icon.png', 'image/png')
  const venue = { venue: 'Hall', image: id }
  await must(api.editor.post('/events', { ...EVENT, ...DAY, slug: 'one', image: id, featured: true, venue }))
  await must(api.editor.post('/events', { ...EVENT, ...DAY, slug: 'two', image: icon.id }))
  const [image] = /<img [^>]*fetchpriority="high"[^>]*>/.exec((await visit(api, '/event/one/')).text)!
  t.match(image, /src="\/media\/2026\/11\/poster-\w+-768x432\.jpg"/)
  t.match(
    image,
    /srcset="\S+-300x169\.jpg 300w, \S+-768x432\.jpg 768w, \S+-1024x576\.jpg 1024w, .*\/poster-\w+\.jpg 1600w"/,
  )
  t.match(image, / width="1600" height="900" alt="" /)
  t.notMatch(image, '150x150', 'one that is cut to another shape is none of them')
  t.match((await visit(api, '/event/one/')).text, `<meta property="og:image" content="${source_url}">`)
  t.match((await visit(api, '/venue/hall/')).text, /poster-\w+-768x432\.jpg/)
  const list = (await visit(api, '/')).text
  t.match(list, /src="\/media\/2026\/11\/icon-\w+\.png"/, 'a small picture is its own')
  t.match(list, /<img [^>]*loading="lazy"/)
  for (const src of attributesOf(list, 'img', 'src'))
    t.equal((await api.anonymous.get(`/${src}`)).status, 200, src)
})

t.test('a site with one language has no other languages', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'ar' } })
  await must(api.editor.post('/events', { ...EVENT, ...DAY, slug: 'one' }))
  for (const path of ['/', '/event/one/']) {
    const { text } = await visit(api, path)
    t.match(text, '<html lang="ar" dir="rtl">')
    t.notMatch(text, /hreflang|class="languages"|name="language"/)
    t.match(text, '>Search</button>', 'words that nobody has translated are English ones')
  }
  t.match((await visit(api, '/')).text, 'السبت', 'dates are in the language')
})

t.test('a page in German, also of a region', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'de-AT,en' } })
  const weekly = { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=10' } }
  await must(
    api.editor.post('/events', { ...EVENT, ...DAY, ...weekly, slug: 'one', event_status: 'cancelled' }),
  )
  const { text } = await visit(api, '/events/')
  t.match(text, '<html lang="de-AT" dir="ltr">')
  t.match(text, />Suchen<\/button>[\s\S]*Samstag, 28\. November[\s\S]*9 weitere Termine/)
  t.match(text, '<span lang="en">Every Saturday, 10 times</span>', 'what has no German words is marked')
  t.match((await visit(api, '/events/?q=zzzz')).text, 'Nichts gefunden')
  t.match((await visit(api, '/nowhere')).text, 'Diese Seite gibt es nicht')
  t.match((await api.anonymous.get('/events.rss')).text, '<title>Abgesagt: ')
})

t.test('words of the operator, for another language and in place of some words', async (t) => {
  const eu = {
    ...wordsOf('en'),
    search: 'Bilatu',
    count: { one: 'ekitaldi {count}', other: '{count} ekitaldi' },
  }
  const folder = t.testdir({
    'words.eu.json': JSON.stringify({ ...eu, embed_failed: 'Ezin da erakutsi.' }),
    'words.ca.json': '{ "search": "Troba <b>", "upcoming": "Què fem" }',
  })
  const SITE_WORDS = join(folder, 'words.{language}.json')
  const api = await build(t, { env: { LANGUAGES: 'eu,ca,es', SITE_WORDS } })
  await must(api.editor.post('/events', { ...EVENT, ...DAY }))
  t.match((await visit(api, '/events/')).text, />Bilatu<\/button>[\s\S]*ekitaldi 1\b/)
  t.match(
    (await visit(api, '/ca/events/')).text,
    />Què fem<[\s\S]*>Troba &lt;b&gt;<\/button>[\s\S]*>Filtres</,
  )
  t.match(
    (await visit(api, '/es/events/')).text,
    '>Buscar</button>',
    'a language of the service needs no file',
  )
  t.match((await visit(api, '/embed.js')).text, '"eu":"Ezin da erakutsi."')
  const refused = (LANGUAGES: string, path: string, message: string) =>
    t.rejects(build(t, { env: { LANGUAGES, SITE_WORDS: path } }), { message, unusable: true })
  const gl = join(folder, 'words.gl.json')
  await refused('ca,gl', SITE_WORDS, `SITE_WORDS is ${gl}, which can not be read: ENOENT`)
  writeFileSync(gl, '{ "serach": "Buscar" }')
  await refused('gl', SITE_WORDS, `SITE_WORDS: ${gl} has unknown words: serach; lacks words: skip, menu`)
  const typo = join(folder, 'wrods.{language}.json')
  await refused(
    'ca,es',
    typo,
    `SITE_WORDS is ${join(folder, 'wrods.ca.json')}, which can not be read: ENOENT`,
  )
})

t.test('a language that no program knows has English dates', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en-x,en' } })
  const { status, text } = await visit(api, '/')
  t.equal(status, 200)
  t.match(text, '<html lang="en-x" dir="ltr">')
})

t.test('the year is named where it is another one', async (t) => {
  const api = await build(t)
  const at = (start_date: string, end_date: string, more = {}) =>
    must(api.editor.post('/events', { ...EVENT, slug: start_date, start_date, end_date, ...more }))
  await at('2026-11-28 20:00:00', '2027-01-03 22:00:00')
  await at('2027-02-01 20:00:00', '2027-02-03 22:00:00', { timezone: 'Asia/Tokyo' })
  const { text } = await visit(api, '/events/')
  t.same(
    textsOf(text, 'h2').map((title) => title.replace(/\s+/g, ' ')),
    ['Saturday, November 2828 Saturday November', 'Monday, February 1, 20271 Monday February 2027'],
  )
  t.match(text, '<span>until Jan 3, 2027</span>')
  t.match(text, '<abbr title="Japan Standard Time">JST</abbr>')
})

t.test('long descriptions are shortened at a word, and say that they go on', async (t) => {
  const api = await build(t)
  const description = `<p>${'Lorem ipsum dolor. '.repeat(30)}</p>`
  await must(api.editor.post('/events', { ...EVENT, ...DAY, slug: 'one', description }))
  await must(
    api.editor.post('/events', { ...EVENT, ...DAY, slug: 'two', description: `<p>${'x'.repeat(500)}</p>` }),
  )
  const { text } = await visit(api, '/events/')
  const [first, second] = [...text.matchAll(/<p class="teaser">(.*?)<\/p>/g)].map(([, teaser]) => teaser!)
  t.match(first, /^Lorem .* (Lorem|ipsum|dolor\.)…$/)
  t.ok(first!.length <= 111 && second!.length <= 111)
  t.match((await visit(api, '/event/one/')).text, /<meta name="description" content="Lorem [^"]{150,200}…">/)
})

t.test('an empty page is small, and a full one weighs less than 60 kB with its files', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 60; number++)
    await must(
      api.editor.post('/events', {
        ...EVENT,
        ...DAY,
        title: `A rather long title of an event, as people like to write them, number ${number}`,
        description: `<p>${'What happens there, in many words. '.repeat(20)}</p>`,
        venue: { venue: `The hall of the old factory ${number % 5}`, city: 'Barcelona' },
        categories: ['Jazz'],
        cost: '12 €',
      }),
    )
  const { text } = await visit(api, '/')
  const files = [...text.matchAll(/"\/assets\/([\w-]+\.(?:css|js|svg))"/g)].map(
    ([, name]) => `//assets/${name}`,
  )
  let bytes = Buffer.byteLength(text)
  for (const file of files) bytes += Buffer.byteLength((await api.anonymous.get(file)).text)
  t.equal(files.length, 3)
  t.ok(bytes < 60_000, `${bytes} bytes`)
})

t.test('no template writes a value into an attribute without quotes', async (t) => {
  const folder = new URL('../../../src/features/', import.meta.url)
  const isPage = (name: string) => /^(pages|submissions|desk)\/.*\.ts$/.test(name)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isPage)) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    t.notMatch(text, / [a-z-]+=\$\{/, name)
  }
})
