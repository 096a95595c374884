import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { load } from '../../../test/support/earlier.ts'
import { basicAuth } from '../../../test/support/given.ts'
import { freePort } from '../../../test/support/ports.ts'
import { watch } from '../../../test/support/process.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const SQLITE = 'better-sqlite3/build/Release/better_sqlite3.node'
/** What `npm ci` needs, and the program. */
const FILES = [
  'package.json',
  'package-lock.json',
  'bin',
  'src',
  'schemas',
  'drizzle',
  'words',
  'packaging',
  'tsconfig.json',
]
const MORE = ['README.md', 'CHANGELOG.md', 'LICENSE']
/** Packages without which nothing is compiled, and with which tests would prove nothing. */
const TOOLS = ['esbuild', 'tsx', 'typescript']

const folder = mkdtempSync(join(tmpdir(), 'almanac-install-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const at = (...path: string[]) => join(folder, ...path)

/** As in a shell of an operator: without what npm and tap tell their own children. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(lifecycle|package)|NODE_OPTIONS$|_?TAP)/.test(name),
  ),
)

const BIN = [process.execPath, 'bin/almanac.js']

/** Runs a program to its end. */
async function run(cwd: string, [program, ...args]: string[], env: Record<string, string> = {}) {
  const child = spawn(program!, args, { cwd, env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const { ended, output } = watch(child)
  return { code: await ended, output: output() }
}

/** The same commands, however the program was installed. */
async function works(t: Test, cwd: string, command: string[], serve = command) {
  const database = join(cwd, 'new', 'a.db')
  const port = String(await freePort())
  const env = { DATABASE: database, PORT: port, LOG_LEVEL: 'warn' }
  const child = spawn(serve[0]!, serve.slice(1), {
    ...{ cwd, env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  }) as ChildProcess
  const { ended, said, output } = watch(child)
  const runs = () => child.exitCode === null && child.signalCode === null
  const stop = () => runs() && process.kill(-child.pid!, 'SIGTERM') // npm too, as a terminal does
  t.teardown(stop)
  await said(/first-password/)
  t.match(output(), 'Almanac answers at', output())
  const api = `http://127.0.0.1:${port}/calendar/events/v1`
  for (const path of ['/events', '/doc', '/doc/openapi-3.0.json', '/doc/static/swagger-ui.css']) {
    const headers = { accept: path === '/doc' ? 'text/html' : '*/*' }
    t.equal((await fetch(api + path, { headers })).status, 200, path)
  }
  const copy = join(cwd, 'copy.db')
  const document = join(cwd, 'document.json')
  const must = async (...args: string[]) => {
    const { code, output } = await run(cwd, [...command, ...args], env)
    t.equal(code, 0, `${args.join(' ')}: ${output}`)
  }
  await must('--version')
  await must('user', 'add', 'maria', '--role', 'editor')
  await must('user', 'password', 'maria', '--revoke', 'all')
  await must('token', 'create', 'maria', '--expires', '+1 day')
  await must('backup', copy)
  await must('openapi', '--output', document)
  stop()
  await ended
  for (const args of [['migrate'], ['check'], ['rebuild'], ['restore', copy], ['user', 'list']])
    await must(...args)
  t.match(readFileSync(document, 'utf8'), '"openapi":"3.1.0"')
}

/** Copies the packages of this checkout that `npm ci --omit=dev` installs: SQLite is compiled already. */
function copyPackages(to: string) {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'))
  for (const [path, { dev }] of Object.entries(packages as Record<string, { dev?: boolean }>))
    if (path.startsWith('node_modules/') && !dev && existsSync(join(PROJECT, path)))
      cpSync(join(PROJECT, path), join(to, path), { recursive: true })
}

t.test('a checkout without development dependencies starts, and runs every command', async (t) => {
  const checkout = at('checkout')
  for (const name of [...FILES, ...MORE])
    cpSync(join(PROJECT, name), join(checkout, name), { recursive: true })
  copyPackages(checkout)
  for (const name of TOOLS) t.notOk(existsSync(join(checkout, 'node_modules', name)), `no ${name}`)

  const install = ['npm', 'install', '--omit=dev', '--offline', '--no-audit', '--no-fund']
  const nothing = await run(checkout, install)
  t.match(nothing, {
    code: 0,
    output: /dist\/almanac\.cjs is missing\. To build it: npm ci && npm run build\./,
  })
  for (const words of [['start'], ['run', '-s', 'almanac', '--', 'user', 'list']]) {
    const { code, output } = await run(checkout, ['npm', ...words])
    t.equal(code, 1)
    t.match(output, /dist\/almanac\.cjs is missing; in .*, run: npm ci && npm run build\n/)
    t.notMatch(output, /\n\s+at /)
  }
  const builder = join(PROJECT, 'packaging/build.js')
  execFileSync(process.execPath, [builder, `--outfile=${join(checkout, 'dist/almanac.cjs')}`], { env: ENV })
  const built = await run(checkout, install)
  t.equal(built.code, 0)
  t.notMatch(built.output, /missing/)
  t.equal((await run(checkout, ['npm', 'prune', '--omit=dev', '--offline'])).code, 0)
  await works(t, checkout, BIN, ['npm', 'start'])
  const env = { DATABASE: join(checkout, 'new/a.db') }
  t.match(await run(checkout, ['npm', 'run', '-s', 'almanac', '--', 'user', 'list'], env), {
    code: 0,
    output: /1 {2}admin /,
  })
})

/** Puts the compiled SQLite of this checkout into an installation that ran no scripts. */
const putSqlite = (packages: string) => {
  mkdirSync(join(packages, SQLITE, '..'), { recursive: true })
  cpSync(join(PROJECT, 'node_modules', SQLITE), join(packages, SQLITE))
}
const QUIET = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

t.test('a package installs without a build, in a folder of its own or beside other packages', async (t) => {
  const packed = await run(at('checkout'), ['npm', 'pack', '--silent', '--pack-destination', folder])
  t.equal(packed.code, 0, packed.output)
  const [name, ...others] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  t.same(others, [])
  t.notOk(existsSync(at('checkout', 'npm-shrinkwrap.json')), 'what is only for the package is gone')

  await t.test('unpacked, with the versions that were tested', async (t) => {
    mkdirSync(at('unpacked'))
    execFileSync('tar', ['xzf', at(name!), '--strip-components=1', '-C', at('unpacked')])
    const { code, output } = await run(at('unpacked'), ['npm', 'ci', ...QUIET])
    t.equal(code, 0, output)
    t.notMatch(output, /EBADENGINE/)
    putSqlite(at('unpacked/node_modules'))
    await works(t, at('unpacked'), BIN, ['npm', 'start'])
  })

  await t.test('as a dependency, with its command', async (t) => {
    mkdirSync(at('host'))
    writeFileSync(at('host/package.json'), '{"private": true}')
    const { code, output } = await run(at('host'), ['npm', 'install', ...QUIET, at(name!)])
    t.equal(code, 0, output)
    for (const name of TOOLS) t.notOk(existsSync(at('host/node_modules', name)), `no ${name}`)
    putSqlite(at('host/node_modules'))
    const bin = at('host/node_modules/.bin/almanac')
    await works(t, at('host'), [bin])
  })
})

t.test('the way of docs/operations.md, from the first start to the first upgrade', async (t) => {
  const cwd = at('unpacked')
  const data = at('var')
  mkdirSync(data, { mode: 0o700 })
  const database = join(data, 'almanac.db')
  const port = String(await freePort())
  const env = {
    ...{ DATABASE: database, PORT: port, TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', LANGUAGES: 'en,ca' },
    BASE_URL: 'https://events.example.org',
  }
  const api = `http://127.0.0.1:${port}/calendar/events/v1`
  /** Starts the service as a unit does: nobody watches its output. */
  async function start() {
    const child = spawn(BIN[0]!, BIN.slice(1), {
      ...{ cwd, env: { ...ENV, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    }) as ChildProcess
    const { ended, said, output } = watch(child)
    t.teardown(() => child.kill())
    await said(/Almanac answers at/)
    const stop = async () => {
      child.kill('SIGTERM')
      t.equal(await ended, 0, output())
    }
    return { stop, output }
  }
  const command = async (...args: string[]) => {
    const { code, output } = await run(cwd, [...BIN, ...args], env)
    t.equal(code, 0, `${args.join(' ')}: ${output}`)
    return output
  }
  const ask = async (login: string, password: string, method: string, path: string, body?: object) => {
    const headers = {
      authorization: basicAuth(login, password),
      ...(body && { 'content-type': 'application/json' }),
    }
    const answer = await fetch(api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  const service = await start()
  const note = join(data, 'first-password')
  t.equal(statSync(note).mode & 0o777, 0o600, 'only the service and root may read it')
  const first = /([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}/.exec(readFileSync(note, 'utf8'))![0]
  t.notMatch(service.output(), first, 'which the log does not have')
  rmSync(note)
  const event = { title: 'Opening', start_date: '+3 days', end_date: '+3 days', all_day: true, cost: '5' }
  const made = await ask('admin', first, 'POST', '/events', event)
  t.match(made, { status: 201, body: { url: 'https://events.example.org/event/opening/', cost: '€5' } })

  const added = await command('user', 'add', 'maria', '--role', 'editor', '--json')
  const { password } = JSON.parse(added) as { password: string }
  t.equal((await ask('maria', password, 'GET', '/events?status=any')).status, 200)
  const { password: newer } = JSON.parse(
    await command('user', 'password', 'maria', '--revoke', 'all', '--json'),
  ) as { password: string }
  t.equal((await ask('maria', password, 'GET', '/events')).status, 401, 'revoked at once')

  const copy = at('copy.db')
  await command('backup', copy)
  t.equal(statSync(copy).mode & 0o777, 0o600)
  const path = `/events/${made.body.id}?force=true`
  t.equal((await ask('maria', newer, 'DELETE', path)).status, 200, 'by mistake')
  t.not((await run(cwd, [...BIN, 'restore', copy], env)).code, 0, 'not while the service runs')
  await service.stop()
  await command('restore', copy)
  await command('check')
  const again = await start()
  const { body } = await ask('maria', newer, 'GET', '/events')
  t.same(
    (body.events as { title: string }[]).map(({ title }) => title),
    ['Opening'],
  )
  await again.stop()

  // the database of an earlier program, as its last backup left it
  for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true })
  load(database, '0008_file_times')
  const upgraded = await start()
  t.match(upgraded.output(), /was upgraded in/)
  const answer = await fetch(`${api}/events?start_date=2000-01-01&end_date=2100-01-01`)
  const { total } = (await answer.json()) as { total: number }
  t.ok(total > 0, `${total} events`)
  await upgraded.stop()
  await command('check')
})

t.test('what is missing or does not fit is told in one sentence', async (t) => {
  const packages = at('unpacked/node_modules')
  const said = async (told: RegExp) => {
    const { code, output } = await run(at('unpacked'), [process.execPath, 'bin/almanac.js'], {
      DATABASE: at('x.db'),
    })
    t.equal(code, 1)
    t.match(output, told)
    t.match(output, /^almanac: [^\n]+\n$/)
  }
  writeFileSync(join(packages, SQLITE), 'of another machine')
  await said(
    /the compiled part of SQLite does not fit Node\.js v[\d.]+ on this machine; .* npm rebuild better-sqlite3/,
  )
  rmSync(join(packages, SQLITE))
  await said(/the compiled part of SQLite is missing, .* npm rebuild better-sqlite3/)
  rmSync(join(packages, 'pino'), { recursive: true })
  await said(/a package is missing; in .*, run: npm ci --omit=dev \(Cannot find module 'pino'/)
})
