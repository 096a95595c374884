import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
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
  t.match(file, /^stage-one-[0-9a-f]{20}\.png$/)
  const title = 'stage-one'
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
  const described = await author.post(`${MEDIA}/${id}`, { alt_text: 'A <b>stage</b>', title: 'Other' })
  t.equal(described.status, 200)
  t.match([described.body.alt_text, described.headers['x-ignored-fields']], ['A stage', 'title'])
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
  const { author } = await build(t, { fresh: true })
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
  t.match([named.body.alt_text, named.body.caption.raw], ['Last', '<p>x</p>'])
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
  t.same(await ids(`include=${one},${two},99`), [two, one])
  t.same(await ids(`include=${one},${two}`, anonymous), [two])
  t.same(await ids(`include=${one},${two}&per_page=1&page=2`), [one])
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

t.test('pictures are found by name, alternative text and caption, if the caller sees them', async (t) => {
  const { author, anonymous } = await build(t)
  const add = async (name: string, texts: object) => {
    const { id } = await must(author.post(MEDIA, await draw(10, 10), raw(name)))
    await must(author.post(`${MEDIA}/${id}`, texts))
    return id as number
  }
  const stage = await add('Main Stage.png', { alt_text: 'Five musicians', caption: 'Photo: <em>María</em>' })
  const poster = await add('poster.png', { alt_text: 'A stage, drawn' })
  await must(author.post('/events', { ...EVENT, image: poster }))
  const { slug, source_url } = (await author.get(`${MEDIA}/${stage}`)).body
  t.equal(slug, 'main-stage')
  const stored = source_url.split('/').at(-1).replace('.png', '')
  const ids = async (query: string, client = author) =>
    (await client.get(`${MEDIA}?${query}`)).body.map(({ id }: { id: number }) => id)
  for (const [query, expected] of [
    ['search=stage', [poster, stage]],
    ['search=Main+Stage.png', [stage]],
    ['search=maria', [stage]],
    ['search=musicians+stage', [stage]],
    ['search=em', []],
    ['search=nothing', []],
    ['search=stage&per_page=1&page=2', [stage]],
    [`search=stage&include=${stage}`, [stage]],
    [`search=stage&slug=poster`, [poster]],
    ['slug=main-stage', [stage]],
    ['slug=main-stage,poster', [poster, stage]],
    ['slug=Main+Stage.png', [stage]],
    [`slug=${stored}`, [stage]],
    ['slug=stage', []],
  ] as const)
    t.same(await ids(query), expected, query)
  t.same(await ids('search=stage', anonymous), [poster], 'of those that a visitor sees')
  t.same(await ids('slug=main-stage', anonymous), [])
  for (const query of [
    'search=%22%22',
    `search=${Array.from({ length: 30 }, (_, at) => `w${at}w`).join('+')}`,
  ])
    t.equal((await author.get(`${MEDIA}?${query}`)).body.code, 'rest_invalid_param', query)
})

t.test('a caption is HTML in the language of the address, and none of the API itself', async (t) => {
  const { author, editor, contributor, anonymous, fingerprint } = await build(t)
  const sent = await author.post(`${MEDIA}?caption=First`, await draw(10, 10), raw('a.png'))
  const { id } = sent.body
  t.same(sent.body.caption, { rendered: '<p>First</p>', raw: '<p>First</p>' })
  const event = await must(author.post('/events', { ...EVENT, image: id }))
  const at = `${MEDIA}/${id}`
  const told = await author.patch(at, { caption: { raw: '<p>Photo<script>alert(1)</script></p>' } })
  t.match([told.body.caption.raw, told.headers['x-ignored-fields']], ['<p>Photo</p>', undefined])
  t.equal(
    (await author.get(`//ca${at.slice(1)}`)).body.caption.rendered,
    '<p>Photo</p>',
    'the first there is',
  )
  t.equal((await author.patch(`//ca${at.slice(1)}`, { caption: 'Foto' })).body.caption.raw, '<p>Foto</p>')
  t.same((await anonymous.get(at)).body.caption, { rendered: '<p>Photo</p>' })
  const { _embedded } = (await anonymous.get(`//wp-json/wp/v2/tribe_events/${event.id}?_embed`)).body
  t.equal(_embedded['wp:featuredmedia'][0].caption.rendered, '<p>Photo</p>')
  t.equal((await author.get(`/media/${id}`)).body.captions, undefined)
  t.equal((await editor.put(at, { caption: '' })).body.caption.raw, '<p>Foto</p>', 'another language is left')
  t.equal((await editor.post(`//ca${at.slice(1)}`, { caption: null })).body.caption.raw, '')

  const before = await fingerprint()
  t.match((await author.post(at, { caption: '0', alt_text: 5 })).body.data.params, {
    caption: /./,
    alt_text: /./,
  })
  t.equal((await contributor.post(at, { caption: 'x' })).status, 403)
  const { etag } = (await author.get(at)).headers
  await must(author.post(at, { caption: 'Second' }))
  t.equal((await author.post(at, { caption: 'x' }, { headers: { 'if-match': etag } })).status, 412)
  t.not(await fingerprint(), before, 'only what was written in between')
  t.equal((await author.get(`${at}?context=edit`)).body.caption.raw, '<p>Second</p>')
})
