import t from 'tap'
import { build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { draw, filesOf, multipart, raw } from '../../support/pictures.ts'

const MEDIA = '//wp-json/wp/v2/media'
const REST = 'http://calendar.test/wp-json'

t.test('a picture is uploaded as raw bytes, described, attached and read', async (t) => {
  const { author, anonymous, clock } = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const sent = await author.post(MEDIA, await draw(400, 300), raw('Stage One.png', 'image/png'))
  t.equal(sent.status, 201)
  const { id, source_url } = sent.body
  t.equal(sent.headers.location, `${REST}/wp/v2/media/${id}`)
  t.ok(sent.headers.etag)
  t.match(source_url, /^http:\/\/calendar\.test\/media\/2026\/11\/.*\.png$/)
  const file = source_url.split('/').at(-1)
  const title = file.replace('.png', '')
  t.match(sent.body, {
    ...{ id, date: '2026-11-21T10:00:00', date_gmt: '2026-11-21T09:00:00', slug: title, status: 'inherit' },
    ...{ type: 'attachment', link: source_url, title: { rendered: title, raw: title }, alt_text: '' },
    ...{ media_type: 'image', mime_type: 'image/png', caption: { rendered: '' } },
    media_details: {
      ...{ width: 400, height: 300, file },
      sizes: {
        thumbnail: { width: 150, height: 150, mime_type: 'image/png' },
        full: { file, width: 400, height: 300, source_url },
      },
    },
    _links: { self: [{ href: `${REST}/wp/v2/media/${id}` }] },
  })
  const thumbnail = sent.body.media_details.sizes.thumbnail.source_url
  t.equal((await anonymous.get(`/${thumbnail.slice('http://calendar.test'.length)}`)).status, 200)

  clock.now += 1_000
  const described = await author.post(`${MEDIA}/${id}`, { alt_text: 'A <b>stage</b>', caption: 'Photo: me' })
  t.equal(described.status, 200)
  t.match([described.body.alt_text, described.headers['x-ignored-fields']], ['A stage', 'caption'])
  t.equal((await author.get(`//ca${MEDIA.slice(1)}/${id}`)).body.alt_text, 'A stage', 'the first there is')
  t.equal(
    (await author.patch(`//ca${MEDIA.slice(1)}/${id}`, { alt_text: 'Un escenari' })).body.alt_text,
    'Un escenari',
  )
  t.equal((await author.put(`${MEDIA}/${id}`, {})).body.alt_text, 'A stage')
  t.equal((await author.get(`/media/${id}`)).body.alt_texts.ca, 'Un escenari')

  t.equal((await anonymous.get(`${MEDIA}/${id}`)).status, 404, 'it belongs to nothing yet')
  const event = await author.post('//wp-json/tribe/events/v1/events', { ...EVENT, image: id })
  t.equal(event.body.image.id, id)
  t.equal((await anonymous.get(`${MEDIA}/${id}?_fields=id`)).body.id, id)
})

t.test('a form has the picture and its text', async (t) => {
  const { author } = await build(t)
  const form = async (...members: [string, string | File][]) => multipart(members)
  const picture = new File([new Uint8Array(await draw(20, 20))], 'poster.png', { type: 'image/png' })
  for (const members of [
    [
      ['alt_text', 'A poster'],
      ['title', 'Poster'],
      ['file', picture],
    ],
    [
      ['file', picture],
      ['title', 'Poster'],
      ['alt_text', 'A poster'],
    ],
  ] as [string, string | File][][]) {
    const { payload, headers } = await form(...members)
    const { status, body, headers: told } = await author.post(MEDIA, payload, { headers })
    t.match([status, body.alt_text, told['x-ignored-fields']], [201, 'A poster', 'title'])
  }
  const { payload, headers } = await form(['alt_text', 'x'.repeat(12_000)], ['file', picture])
  t.equal((await author.post(MEDIA, payload, { headers })).status, 400)
  const none = await form(['alt_text', 'A poster'])
  t.equal(
    (await author.post(MEDIA, none.payload, { headers: none.headers })).body.code,
    'rest_missing_callback_param',
  )
  t.equal(filesOf(t).length, 2, 'a refused text leaves no file')
  const named = await author.post(
    `${MEDIA}?alt_text=First&caption=x&alt_text=Last`,
    await draw(10, 10),
    raw('a.png'),
  )
  t.match([named.body.alt_text, named.headers['x-ignored-fields']], ['Last', 'caption'])
})

t.test('what is no picture is refused, and leaves nothing', async (t) => {
  const api = await build(t)
  const before = await api.fingerprint()
  for (const [bytes, status] of [
    [Buffer.from('<svg/>'), 400],
    [Buffer.alloc(0), 400],
    [Buffer.alloc(11 * 2 ** 20), 413],
  ] as const)
    t.equal((await api.author.post(MEDIA, bytes, raw('a.png', 'image/png'))).status, status)
  for (const who of ['anonymous', 'subscriber', 'contributor'] as const)
    t.equal(
      (await api[who].post(MEDIA, await draw(10, 10), raw('a.png'))).status,
      who === 'anonymous' ? 401 : 403,
    )
  t.equal(await api.fingerprint(), before)
  t.same(filesOf(t), [])
})

t.test('pictures are listed as the API lists them', async (t) => {
  const { author, anonymous, editor } = await build(t)
  const made: number[] = []
  for (const name of ['one', 'two', 'three'])
    made.push((await must(author.post(MEDIA, await draw(10, 10), raw(`${name}.png`)))).id)
  const [one, two, three] = made as [number, number, number]
  await must(author.post('/events', { ...EVENT, image: two }))
  const ids = async (query: string, client = author) =>
    (await client.get(`${MEDIA}?${query}`)).body.map(({ id }: { id: number }) => id)
  t.same(await ids(''), [three, two, one])
  t.same(await ids('', anonymous), [two])
  t.same(await ids(`include=${one},${two},99`), [one, two])
  t.same(await ids(`include=${one},${two}`, anonymous), [two])
  t.same(await ids(`include=${one},${two}&per_page=1&page=2`), [two])
  t.same(await ids('search=two'), [], 'pictures have no titles to search')
  t.same(await ids('slug=two'), [])
  t.same(await ids('search=&slug='), [three, two, one])
  t.same(await ids('per_page=1000', editor), [three, two, one])
  const { headers } = await author.get(`${MEDIA}?per_page=2&media_type=image`)
  t.match(headers, { 'x-wp-total': '3', 'x-wp-totalpages': '2', 'x-ignored-parameters': 'media_type' })
  t.match(headers.link, `<${REST}/wp/v2/media?per_page=2&media_type=image&page=2>; rel="next"`)
  t.equal((await author.get(`${MEDIA}?page=9`)).body.code, 'rest_post_invalid_page_number')
  t.equal((await anonymous.get(`${MEDIA}?context=edit`)).status, 401)
  t.equal((await author.get(`${MEDIA}/${one}?context=edit`)).body.title.raw.length > 0, true)
  t.equal((await author.delete(`${MEDIA}/${one}?force=true`)).status, 405)
})
