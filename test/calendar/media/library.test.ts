import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { openMediaFolder } from '../../../src/calendar/media/folder.ts'
import { openPictures } from '../../../src/calendar/media/pictures.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { listed, must, refusal } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw, filesOf, multipart, plainName, raw } from '../../support/pictures.ts'
import { faults } from '../../support/validation.ts'

const MEDIA = 'http://calendar.test/media'
const MIB = 2 ** 20

t.test('an upload of raw bytes comes back with its sizes, and all are served', async (t) => {
  const api = await build(t, { fresh: true })
  const bytes = await draw(1600, 1000, 'jpeg')
  const { status, body, headers } = await api.author.post(
    '/media',
    bytes,
    raw('Summer Poster.JPG', 'image/jpeg'),
  )
  t.equal(status, 201)
  t.equal(headers.location, `http://calendar.test${ROOT}/media/1`)
  const url: string = body.url
  t.match(
    url,
    /^http:\/\/calendar\.test\/media\/2026\/11\/summer-poster-[0-9a-f]{20}\.jpg$/,
    'nobody guesses it',
  )
  const of = (suffix: string, width: number, height: number) => ({
    width,
    height,
    'mime-type': 'image/jpeg',
    filesize: Number,
    url: url.replace('.jpg', `-${suffix}.jpg`),
  })
  t.match(body, {
    id: 1,
    source_url: url,
    url,
    author: String(api.credentials.author.id),
    date_utc: '2026-11-21 09:00:00',
    mime_type: 'image/jpeg',
    extension: 'jpg',
    width: 1600,
    height: 1000,
    filesize: Number,
    sizes: {
      thumbnail: of('150x150', 150, 150),
      medium: of('300x188', 300, 188),
      medium_large: of('768x480', 768, 480),
      large: of('1024x640', 1024, 640),
    },
  })
  t.same(faults('Media', body), [])
  t.strictSame((await api.author.get('/media/1')).body, body)

  const versions = [body, ...Object.values<typeof body>(body.sizes)]
  t.equal(filesOf(t).length, versions.length)
  for (const version of versions) {
    const answer = await api.app.inject({ url: version.url.slice('http://calendar.test'.length) })
    t.match(answer, {
      statusCode: 200,
      headers: {
        'content-type': 'image/jpeg',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    })
    const { width, height } = await sharp(answer.rawPayload).metadata()
    t.same([width, height, answer.rawPayload.length], [version.width, version.height, version.filesize])
  }
  for (const path of [
    '/media/',
    '/media/2026',
    '/media/2026/11/other.jpg',
    '/media/../package.json',
    '/media/%2e%2e/x',
  ])
    t.equal(refusal(await api.anonymous.get(`/${path}`)), '404 rest_no_route', path)
})

t.test('the file of a multipart form is an upload as well', async (t) => {
  const { author } = await build(t)
  const file = new File([await draw(40, 30)], 'plan b.png', { type: 'text/html' })
  const form = await multipart([
    ['title', '2027'],
    ['file', file],
    ['second', file],
  ])
  // as some clients send members that are no files
  const typed = form.payload
    .toString('latin1')
    .replace(/name="title"/, '$&\r\nContent-Type: application/json')
  const { status, body } = await author.post('/media', Buffer.from(typed, 'latin1'), {
    headers: form.headers,
  })
  t.match({ status, body }, { status: 201, body: { sizes: {} } })
  t.equal(plainName(body.source_url), `${MEDIA}/2026/11/plan-b.png`)
})

t.test('the kind is told by the content, the name by Content-Disposition', async (t) => {
  const { author } = await build(t)
  for (const format of ['png', 'jpeg', 'gif', 'webp', 'avif'] as const) {
    const { body } = await author.post(
      '/media',
      await draw(20, 20, format),
      raw('same.exe', 'application/json'),
    )
    const extension = format === 'jpeg' ? 'jpg' : format
    t.match(body, { mime_type: `image/${format}`, extension })
    t.equal(plainName(body.url), `${MEDIA}/2026/11/same.${extension}`)
  }
  const tiny = await draw(5, 5)
  const cases: [disposition: string | undefined, file: string][] = [
    [undefined, 'image'],
    ['attachment', 'image'],
    ['attachment; filename="../../../etc/passwd"', 'passwd'],
    ['attachment; filename="a/b\\c.png"', 'bc'],
    ['attachment; filename="C:<x>.php.png"', 'cx-php'],
    ["attachment; filename*=UTF-8''Caf%C3%A9%20%E2%82%AC.png", 'cafe'],
    ["attachment; filename*=UTF-8''%E6%97%A5.png", 'e697a5'],
    ['attachment; filename=".png"', 'png'],
    ['attachment; filename="!!.png"', 'image'],
    [`attachment; filename="${'x'.repeat(300)}.png"`, 'x'.repeat(80)],
    ['attachment; filename="x', 'image'],
    ['form-data; name="a"; filename="same.png"', 'same'],
  ]
  for (const [disposition, file] of cases) {
    const headers = disposition === undefined ? {} : { 'content-disposition': disposition }
    const { body } = await author.post('/media', tiny, {
      headers: { 'content-type': 'image/png', ...headers },
    })
    t.equal(plainName(body.url ?? body.message), `${MEDIA}/2026/11/${file}.png`, disposition ?? 'none')
  }
})

t.test('no picture takes the file of another', async (t) => {
  const { app, clock } = await build(t, { fresh: true })
  const chances = ['1-150x150', '1', '2']
  const pictures = openPictures(app.store.media, {
    ...{ folder: openMediaFolder(join(t.testdirName, 'media')), base: 'http://calendar.test' },
    ...{ clock: () => clock.now, nameOf: () => chances.shift()!, download: { allow: [], userAgent: '' } },
  })
  t.match(await pictures.upload(await draw(20, 20), 'a.png', 'somebody'), { file: '2026/11/a-1-150x150.png' })
  t.match(await pictures.upload(await draw(400, 400), 'a.png', 'somebody'), { file: '2026/11/a-2.png' })
  t.same(
    filesOf(t),
    ['a-1-150x150.png', 'a-2-150x150.png', 'a-2-300x300.png', 'a-2.png'].map((name) => `2026/11/${name}`),
  )
})

t.test('what is no picture, or too large, is refused and leaves nothing', async (t) => {
  const api = await build(t)
  const { author } = api
  const before = await api.fingerprint()
  const bad = '400 rest_invalid_param file'
  const none = '400 rest_missing_callback_param file'
  const large = '413 rest_payload_too_large'
  const png = await draw(400, 400)
  const cases: [what: string, bytes: Buffer | undefined, expected: string, headers?: object][] = [
    ['a text', Buffer.from('hello'), bad],
    ['a web page', Buffer.from('<html><script>1</script>'), bad],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), bad],
    ['half a picture', png.subarray(0, png.length / 2), bad],
    ['nothing', undefined, none],
    ['an empty body', Buffer.alloc(0), none],
    ['JSON', Buffer.from('{"file":"x"}'), bad, { 'content-type': 'application/json' }],
    ['a form', Buffer.from('file=x'), bad, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['over 10 MiB', Buffer.alloc(10 * MIB + 1), large],
    ['10 MiB', Buffer.alloc(10 * MIB), bad],
    ['no form', png, '400 rest_bad_request', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['no boundary', png, '400 rest_bad_request', { 'content-type': 'multipart/form-data' }],
    ['an empty form', Buffer.from('--x--\r\n'), none, { 'content-type': 'multipart/form-data; boundary=x' }],
  ]
  for (const [what, bytes, expected, headers] of cases)
    t.equal(
      refusal(await author.post('/media', bytes, { headers: { ...raw('x.png').headers, ...headers } })),
      expected,
      what,
    )
  for (const [members, expected] of [
    [[['file', 'a text']], none],
    [[['file', new File(['a text'], 'x.png')]], bad],
    [[['file', new File([Buffer.alloc(10 * MIB + 1)], 'x.png')]], large],
    [Array(201).fill(['a', 'b']), large],
  ] as [[string, string | File][], string][]) {
    const { payload, headers } = await multipart(members)
    t.equal(refusal(await author.post('/media', payload, { headers })), expected)
  }
  t.equal(await api.fingerprint(), before)
  t.same(filesOf(t), [])
})

t.test('media are listed newest first, in pages', async (t) => {
  const { author } = await build(t)
  for (const name of ['a', 'b', 'c']) await must(author.post('/media', await draw(9, 9), raw(`${name}.png`)))
  const cases: [query: string, expected: string][] = [
    ['', '3, 2, 1'],
    ['?per_page=2', '3, 2'],
    ['?per_page=2&page=2', '1'],
    ['?per_page=2&page=3', '404 media-archive-page-not-found'],
    ['?page=0', '400 rest_invalid_param page'],
  ]
  for (const [query, expected] of cases)
    t.equal(listed(await author.get(`/media${query}`), 'media', 'id'), expected, query)
  const { body, headers } = await author.get('/media?per_page=1&_fields=media.id,next_rest_url,total_pages')
  const next = `http://calendar.test${ROOT}/media/?per_page=1&_fields=media.id%2Cnext_rest_url%2Ctotal_pages&page=2`
  t.strictSame(body, { media: [{ id: 3 }], next_rest_url: next, total_pages: 3 })
  t.match(headers, { 'x-wp-total': '3', link: `<${next}>; rel="next"` })
  t.same(faults('MediaPage', (await author.get('/media?per_page=1&page=2')).body), [])
})

t.test('who may upload and delete, own ones and those of others', async (t) => {
  const api = await build(t)
  const png = await draw(200, 200)
  for (const asker of ['anonymous', ...ROLES] as const) {
    const own = await api[asker].post('/media', png, raw('own.png'))
    const { id: other } = await must(api.administrator.post('/media', png, raw('other.png')))
    const before = await api.fingerprint()
    const kept = filesOf(t)
    const foreign = await api[asker].delete(`/media/${other}`)
    const code = asker === 'anonymous' ? 401 : 403
    const uploads = ['author', 'editor', 'administrator'].includes(asker)
    const deletes = ['editor', 'administrator'].includes(asker)
    t.equal(own.status, uploads ? 201 : code, `${asker} uploads`)
    t.equal(foreign.status, deletes ? 200 : code, `${asker} deletes that of another`)
    if (!deletes) t.same([await api.fingerprint(), filesOf(t)], [before, kept], 'and changes nothing')
    if (uploads)
      t.strictSame((await api[asker].delete(`/media/${own.body.id}`)).body, own.body, 'deletes own ones')
    const unknown = await api[asker].delete('/media/999')
    t.equal(refusal(unknown), uploads ? '404 media-not-found' : `${code} rest_forbidden`)
  }
})

t.test('a deleted picture is gone from the disk and from what showed it', async (t) => {
  const api = await build(t, { fresh: true })
  const { author, anonymous, editor } = api
  const { id, url } = await must(author.post('/media', await draw(400, 400), raw('gone.png')))
  const image = String(id)
  const event = await must(editor.post('/events', { ...EVENT, image, venue: { venue: 'Hall', image } }))
  t.match([event.image.id, event.venue.image.id], [id, id])
  await must(author.delete(`/media/${id}`))
  t.same(filesOf(t), [])
  const gone = await api.app.inject({ url: url.slice('http://calendar.test'.length) })
  t.match(gone, { statusCode: 404, headers: { 'cache-control': 'no-store' } })
  t.equal(refusal(await anonymous.get(`/media/${id}`)), '404 media-not-found')
  t.equal(refusal(await author.delete(`/media/${id}`)), '404 media-not-found')
  const { body } = await anonymous.get(`/events/${event.id}`)
  t.equal(body.image, false)
  t.notOk('image' in body.venue)

  const { id: lost } = await must(author.post('/media', await draw(40, 40), raw('lost.png')))
  unlinkSync(join(t.testdirName, 'media', filesOf(t)[0]!))
  t.match(await author.delete(`/media/${lost}`), { status: 200 }, 'also when its file is lost')
})

t.test('an image is deleted by who uploaded it, and by editors', async (t) => {
  const api = await build(t)
  const upload = async (who: 'author' | 'editor'): Promise<number> => {
    const picture = sharp({ create: { width: 20, height: 10, channels: 3, background: 'navy' } })
    const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="blue.png"' }
    return (await must(api[who].post('/media', await picture.png().toBuffer(), { headers }))).id
  }
  const theirs = await upload('editor')
  const before = await api.fingerprint()
  for (const [who, expected] of [
    ['anonymous', '401 rest_forbidden'],
    ['subscriber', '403 rest_forbidden'],
    ['contributor', '403 rest_forbidden'],
    ['author', '403 rest_forbidden'],
  ] as const)
    t.equal(refusal(await api[who].delete(`/media/${theirs}`)), expected, who)
  t.equal(await api.fingerprint(), before)
  t.equal((await api.author.delete(`/media/${await upload('author')}`)).status, 200)
  t.equal((await api.editor.delete(`/media/${await upload('author')}`)).status, 200)
  t.equal((await api.administrator.delete(`/media/${theirs}`)).status, 200)
  t.equal(refusal(await api.editor.delete(`/media/${theirs}`)), '404 media-not-found')
})
