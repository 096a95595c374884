import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { accepts, freePort } from './ports.ts'
import { until } from './until.ts'

export const PUBLIC = 'events.example.org'
const packaged = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../packaging/${name}`, import.meta.url)), 'utf8')

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

export const NGINX: Proxy = {
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

export const CADDY: Proxy = {
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
export const missing = ({ program }: Proxy) =>
  existsSync(program)
    ? false
    : `there is no ${program}: install it with apt-get, or name one in NGINX or CADDY`

/** Starts the proxy in front of Almanac, without rights of root, on a free port and with a certificate that nobody signed. */
export async function startProxy(t: Test, proxy: Proxy, almanac: number) {
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
