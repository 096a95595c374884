import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { type Api, build, ROOT } from '../../support/app.ts'

const PAGE = { accept: 'text/html' }

/** An answer with its body as it was sent. */
async function fetch({ app }: Api, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const {
    statusCode,
    headers: sent,
    rawPayload,
  } = await app.inject({
    ...{ method: method as 'GET', url: ROOT + path, headers },
  })
  return { status: statusCode, headers: sent as Record<string, string | undefined>, bytes: rawPayload }
}

/** What the page and its readers ask for: path, headers, and how long caches may keep it. */
const PARTS: [path: string, headers: Record<string, string>, cacheControl: string][] = [
  ['/doc', {}, 'public, no-cache'],
  ['/doc', PAGE, 'public, no-cache'],
  ['/doc/openapi-3.0.json', {}, 'public, no-cache'],
  ['/doc/start.js', {}, 'public, no-cache'],
  ['/doc/style.css', {}, 'public, max-age=3600'],
  ['/doc/static/swagger-ui.css', {}, 'public, max-age=3600'],
  ['/doc/static/swagger-ui-bundle.js', {}, 'public, max-age=3600'],
  ['/doc/static/favicon-32x32.png', {}, 'public, max-age=3600'],
]

t.test('the documentation is compressed for those who read it, and asked for once', async (t) => {
  const api = await build(t)
  for (const [path, own, cacheControl] of PARTS) {
    const plain = await fetch(api, path, own)
    const { etag } = plain.headers
    t.match(etag, /^"[\da-z]{6,13}"$/, path)
    t.match(plain.headers, { 'cache-control': cacheControl, vary: /Accept-Encoding/ }, path)
    t.equal(plain.headers['content-encoding'], undefined, path)
    const isLarge = plain.bytes.length >= 1_000
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ] as const)
      for (const time of ['first', 'kept']) {
        const at = `${path} ${encoding} ${time}`
        const packed = await fetch(api, path, { ...own, 'accept-encoding': accepted })
        const expected = isLarge ? `W/${etag}` : etag
        t.match(packed.headers, { etag: expected, 'content-type': plain.headers['content-type'] }, at)
        t.equal(packed.headers['content-encoding'], isLarge ? encoding : undefined, at)
        const bytes = isLarge ? decode(packed.bytes) : packed.bytes
        t.ok(bytes.equals(plain.bytes), at)
        t.equal(packed.headers['content-length'], String(packed.bytes.length), at)
        const known = await fetch(api, path, {
          ...own,
          'accept-encoding': accepted,
          'if-none-match': expected!,
        })
        t.same([known.status, known.bytes.length, known.headers.etag], [304, 0, expected], at)
        t.equal(known.headers['content-type'], undefined, at)
      }
    const other = await fetch(api, path, { ...own, 'if-none-match': '"other"' })
    t.equal(other.status, 200, path)
    const head = await fetch(api, path, own, 'HEAD')
    t.same([head.status, head.bytes.length, head.headers.etag], [200, 0, etag], `HEAD ${path}`)
  }
})

t.test('the page and the document of one URL are told apart', async (t) => {
  const api = await build(t)
  const [json, page] = [await fetch(api, '/doc'), await fetch(api, '/doc', PAGE)]
  t.not(json.headers.etag, page.headers.etag)
  t.match(json.headers.vary, /^accept, /)
  t.equal((await fetch(api, '/doc', { ...PAGE, 'if-none-match': json.headers.etag! })).status, 200)
})
