import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { build, EVENT, ROOT } from '../../../test/support/app.ts'
import { accepts, freePort } from '../../../test/support/ports.ts'
import { until } from '../../../test/support/until.ts'

const PUBLIC = 'events.example.org'
const packaged = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../packaging/${name}`, import.meta.url)), 'utf8')

/** Where a proxy runs in a test: its folder, its ports, the port of Almanac, and its certificate. */
type Place = { dir: string; port: number; plain: number; almanac: number; cert: string; key: string }
/** A proxy: its program, the package that has it, and its settings made from the packaged file. */
type Proxy = { program: string; configure(place: Place): { args: string[]; env?: Record<string, string> } }

/** Replaces each text, which the file must have. */
const fill = (text: string, replaced: [string, string][]) =>
  replaced.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The packaged file does not have "${from}".`)
    return before.replaceAll(from, to)
  }, text)

const NGINX: Proxy = {
  program: process.env.NGINX ?? '/usr/sbin/nginx',
  configure({ dir, port, plain, almanac, cert, key }) {
    const site = fill(packaged('nginx.conf'), [
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen [::]:80;', ''],
      ['listen 443 ', `listen 127.0.0.1:${port} `],
      ['listen [::]:443 ssl http2;', ''],
      ['127.0.0.1:3000', `127.0.0.1:${almanac}`],
      ['/var/cache/nginx/almanac', join(dir, 'cache')],
      [`/etc/letsencrypt/live/${PUBLIC}/fullchain.pem`, cert],
      [`/etc/letsencrypt/live/${PUBLIC}/privkey.pem`, key],
    ])
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(dir, name)};`)
      .join('\n')
    const file = join(dir, 'nginx.conf')
    const log = join(dir, 'error.log')
    writeFileSync(
      file,
      `daemon off;\npid ${join(dir, 'pid')};\nevents {}\nhttp {\naccess_log off;\nerror_log ${log};\n${folders}\n${site}}\n`,
    )
    return { args: ['-e', log, '-p', dir, '-c', file] }
  },
}

const CADDY: Proxy = {
  program: process.env.CADDY ?? '/usr/bin/caddy',
  configure({ dir, port, almanac, cert, key }) {
    const file = join(dir, 'Caddyfile')
    const site = fill(packaged('Caddyfile'), [
      [`${PUBLIC} {\n`, `https://${PUBLIC}:${port} {\n\ttls ${cert} ${key}\n`],
      ['127.0.0.1:3000', `127.0.0.1:${almanac}`],
    ])
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
    return {
      args: ['run', '--adapter', 'caddyfile', '--config', file],
      env: { HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir },
    }
  },
}

/** Whether the program is missing, in words. */
const missing = ({ program }: Proxy) =>
  existsSync(program)
    ? false
    : `there is no ${program}: install it with apt-get, or name one in NGINX or CADDY`

/** Starts the proxy in front of Almanac, without rights of root, on a free port and with a certificate that nobody signed. */
async function startProxy(t: Test, proxy: Proxy, almanac: number) {
  const dir = mkdtempSync(join(tmpdir(), 'almanac-proxy-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'cache'))
  const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const subject = ['-subj', `/CN=${PUBLIC}`, '-addext', `subjectAltName=DNS:${PUBLIC}`]
  const wanted = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...wanted, ...subject, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  const place = { dir, port: await freePort(), plain: await freePort(), almanac, cert, key }
  const { args, env } = proxy.configure(place)
  const nobody = process.getuid!() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (nobody.uid)
    for (const path of [dir, join(dir, 'cache'), cert, key]) chownSync(path, nobody.uid, nobody.gid)
  const child = spawn(proxy.program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...nobody,
  })
  t.teardown(async () => {
    if (child.exitCode !== null || !child.kill('SIGTERM')) return
    await once(child, 'exit')
  })
  await listening(child, place.port)
  return { ...place, ...openClient(place) }
}

async function listening(child: ChildProcess, port: number) {
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += chunk))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The proxy ended with ${child.exitCode}: ${said}`)
    return accepts(port)
  })
}

type Asked = { method?: string; headers?: Record<string, string>; body?: Buffer | string; from?: string }

/** Requests from an address of this machine, over TLS, and one without. */
function openClient({ port, plain, cert }: Place) {
  const ca = readFileSync(cert)
  const ask = (
    path: string,
    { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Asked = {},
    secure = true,
  ) =>
    new Promise<{ status: number; headers: Record<string, string>; text: string }>((resolve, reject) => {
      const request = (secure ? requestSecure : requestPlain)(
        {
          ...{
            host: '127.0.0.1',
            port: secure ? port : plain,
            path,
            method,
            localAddress: from,
            agent: false,
          },
          headers: { host: PUBLIC, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) },
          ...(secure && { ca, servername: PUBLIC }),
        },
        async (reply) => {
          const parts: Buffer[] = []
          for await (const part of reply) parts.push(part)
          const text = Buffer.concat(parts).toString()
          resolve({ status: reply.statusCode!, headers: reply.headers as Record<string, string>, text })
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  return { ask, askPlain: (path: string) => ask(path, {}, false) }
}

const MIB = 1024 * 1024
/** Requests a minute of one client. */
const LIMIT = 30

/** Almanac with the settings that the recipe names, behind the proxy. */
async function open(t: Test, proxy: typeof NGINX) {
  const api = await build(t, {
    env: {
      BASE_URL: `https://${PUBLIC}`,
      TRUST_PROXY: '127.0.0.1',
      RATE_LIMIT: String(LIMIT),
      METRICS_TOKEN: 'secret',
    },
  })
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { authorization } = api.credentials.editor
  return { ...api, authorization, ...(await startProxy(t, proxy, Number(new URL(origin).port))) }
}

/** A picture of noise, which no format compresses, as PNG of about so many bytes. */
async function noise(bytes: number): Promise<Buffer> {
  const width = Math.floor(Math.sqrt(bytes / 3))
  const channels = 3 as const
  const raw = { width, height: width, channels }
  return sharp(randomBytes(width * width * channels), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

for (const [name, proxy] of [
  ['nginx', NGINX],
  ['Caddy', CADDY],
] as const)
  t.test(
    `the recipe for ${name} does what it says`,
    { skip: proxy === CADDY && missing(proxy) },
    async (t) => {
      if (missing(proxy)) throw new Error(String(missing(proxy)))
      const { ask, askPlain, authorization, editor } = await open(t, proxy)
      const json = { authorization, 'content-type': 'application/json' }
      const { id } = (await editor.post('/events', EVENT)).body

      await t.test('links lead to the public address', async (t) => {
        const made = await ask(`${ROOT}/events`, {
          method: 'POST',
          headers: json,
          body: JSON.stringify(EVENT),
        })
        t.equal(made.status, 201)
        t.match(made.headers.location, `https://${PUBLIC}${ROOT}/events/`)
        t.match(JSON.parse(made.text), {
          rest_url: `https://${PUBLIC}${made.headers.location!.split(PUBLIC)[1]}`,
        })
        t.match(made.headers['strict-transport-security'], /max-age=\d+/)
        t.equal(
          (await ask(`${ROOT}/events/by-slug/Concert%20`)).status,
          200,
          'a slug is not decoded on its way',
        )
      })

      await t.test('pictures of up to 10 MiB are taken, and larger ones refused by Almanac', async (t) => {
        const headers = { authorization, 'content-type': 'image/png' }
        const body = await noise(9 * MIB)
        t.ok(body.length > 8.9 * MIB && body.length < 9.5 * MIB)
        const taken = await ask(`${ROOT}/media`, { method: 'POST', headers, body })
        t.equal(taken.status, 201, taken.text)
        const { source_url } = JSON.parse(taken.text)
        t.match(source_url, `https://${PUBLIC}/media/`)
        t.equal((await ask(new URL(source_url).pathname)).status, 200)
        const tooLarge = randomBytes(11 * MIB)
        const send = () => ask(`${ROOT}/media`, { method: 'POST', headers, body: tooLarge })
        // a client that still sends when the connection ends may lose the response (RFC 9112 §9.6), and asks again
        const large = await send().catch(send).catch(send).catch(send)
        t.equal(large.status, 413)
        t.match(JSON.parse(large.text), { code: 'rest_payload_too_large', message: /10 MiB/ })
      })

      await t.test('an unchanged response is 304, and the ETag fits If-Match', async (t) => {
        const headers = { authorization, 'accept-encoding': 'gzip' }
        const path = `${ROOT}/events/${id}`
        const { headers: told } = await ask(path, { headers })
        t.match(told.etag, /^(W\/)?"/)
        const again = await ask(path, { headers: { ...headers, 'if-none-match': told.etag! } })
        t.same([again.status, again.text], [304, ''])
        const headersOf = { ...json, 'if-match': told.etag! }
        const changed = await ask(path, { method: 'PATCH', headers: headersOf, body: '{"title":"Other"}' })
        t.equal(changed.status, 200)
        const anonymous = await ask(path)
        const unchanged = await ask(path, { headers: { 'if-none-match': anonymous.headers.etag! } })
        t.equal(unchanged.status, 304)
      })

      await t.test('pages are compressed', async (t) => {
        const page = await ask(`${ROOT}/doc/static/swagger-ui.css`, {
          headers: { 'accept-encoding': 'gzip' },
        })
        t.match(page, { status: 200, headers: { 'content-encoding': 'gzip' } })
      })

      await t.test('every client has a limit of its own, which a forged header does not lift', async (t) => {
        const read = (from: string, at: number, forwarded: string) =>
          ask(`${ROOT}/venues?page=1&per_page=${at + 1}`, { from, headers: { 'x-forwarded-for': forwarded } })
        const statuses: number[] = []
        for (let at = 0; at <= LIMIT; at++)
          statuses.push((await read('127.0.0.2', at, `192.0.2.${at}`)).status)
        t.equal(statuses.indexOf(429), LIMIT)
        t.equal((await read('127.0.0.3', LIMIT + 1, '127.0.0.2')).status, 200)
      })

      await t.test('what is for the monitoring is not public', async (t) => {
        const headers = { authorization: 'Bearer secret' }
        t.equal((await ask('/metrics', { headers })).status, 404)
      })

      if (proxy !== NGINX) return
      await t.test('whoever comes without TLS is led there', async (t) => {
        const { status, headers } = await askPlain(`${ROOT}/events?page=2`)
        t.same([status, headers.location], [308, `https://${PUBLIC}${ROOT}/events?page=2`])
      })

      await t.test('nginx keeps the files of pictures, and nothing else', async (t) => {
        const { media } = JSON.parse((await ask(`${ROOT}/media`, { headers: { authorization } })).text)
        const idOf = async (path: string) => (await ask(path)).headers['x-request-id']
        const { pathname } = new URL(media[0].source_url)
        t.equal(await idOf(pathname), await idOf(pathname))
        t.not(await idOf(`${ROOT}/organizers`), await idOf(`${ROOT}/organizers`))
      })
    },
  )
