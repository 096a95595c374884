import { readdirSync, readFileSync } from 'node:fs'
import sharp from 'sharp'
import t from 'tap'
import { build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
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
  const folder = new URL('../../../src/formats/html/', import.meta.url)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const text = readFileSync(new URL(name, folder), 'utf8')
    t.notMatch(text, / [a-z-]+=\$\{/, name)
  }
})
