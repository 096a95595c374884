import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { draw } from '../../../test/support/pictures.ts'
import { freePort } from '../../../test/support/ports.ts'
import { firstPassword, startProgram } from '../../../test/support/process.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

/** How a block is run: while the service runs, or while it does not. Any other text says why it is not, or which test does so. */
const SERVED = 'served'
const STOPPED = 'stopped'

const MACHINES = 'needs three machines; tools/long/nodes/nodes-failover.test.ts does the same on one'
const INSTALL = 'tools/long/install/install.test.ts installs it so'
const NODES = 'tools/long/nodes/nodes-together.test.ts starts nodes so'
const BACKUPS = 'tools/test/features/nodes/backups.test.ts does so'
const FILES = 'test/features/exports/export.test.ts and test/features/imports/files/command.test.ts do so'
const GUIDES = 'test/document/guides.test.ts runs it'
const CLIENTS = 'tools/long/clients/sdk.test.ts runs it'
/** The blocks of commands of each page, in order. */
const PLAN: Record<string, string[]> = {
  'README.md': [
    INSTALL,
    SERVED,
    SERVED,
    'tools/long/install/demo.test.ts runs it',
    SERVED,
    SERVED,
    'is what .ci/run does',
  ],
  'docs/examples/three-nodes/README.md': Array(5).fill(MACHINES),
  'docs/guides/backup.md': [SERVED, STOPPED, STOPPED],
  'docs/guides/calendar-feeds.md': [GUIDES, GUIDES],
  'docs/guides/files.md': [
    ...Array(6).fill(FILES),
    'test/features/imports/files/undo.test.ts does so',
    ...Array(2).fill('test/features/imports/imports.test.ts does so'),
  ],
  'docs/guides/from-wordpress.md': [SERVED, SERVED, SERVED],
  'docs/guides/images.md': Array(7).fill(SERVED),
  'docs/guides/integrations.md': [SERVED, SERVED, SERVED],
  'docs/guides/moving.md': [
    ...Array(2).fill('needs another site; test/features/imports/site/command.test.ts imports so'),
    'needs another site; test/features/imports/mirror/service.test.ts follows one so',
    'needs other sites; test/features/imports/mirror/feeds.test.ts follows feeds so',
    'needs another site; test/features/imports/mirror/writes.test.ts passes writes on so',
  ],
  'docs/guides/month-view.md': [SERVED, GUIDES],
  'docs/guides/people.md': [
    'test/features/people/invitations.test.ts does so',
    'test/features/people/user-commands.test.ts does so',
  ],
  'docs/guides/search.md': [SERVED, SERVED],
  'docs/guides/series.md': Array(20).fill(GUIDES),
  'docs/guides/sync.md': [SERVED, 'stays open; test/features/sync/listening.test.ts reads it'],
  'docs/guides/translations.md': Array(5).fill(GUIDES),
  'docs/guides/webhooks.md': [SERVED, GUIDES],
  'docs/operations.md': [
    ...[INSTALL, INSTALL, 'needs systemd and Docker', 'needs Docker'],
    ...[SERVED, SERVED, STOPPED, SERVED, STOPPED, STOPPED, SERVED, STOPPED],
  ],
  'docs/benchmarks.md': ['measures for minutes'],
  'docs/reference/audit.md': [SERVED, SERVED, SERVED],
  'docs/reference/caching.md': [SERVED],
  'docs/reference/credentials.md': [SERVED],
  'docs/reference/errors.md': [SERVED],
  'docs/reference/routes.md': [SERVED, SERVED],
  'docs/reference/settings.md': [STOPPED],
  'docs/scaling.md': [
    ...[NODES, 'needs systemd; tools/test/features/nodes/move.test.ts moves a calendar so', NODES],
    ...['tools/test/features/nodes/move.test.ts moves it back so', BACKUPS, BACKUPS, BACKUPS],
  ],
  'docs/sdk.md': Array(14).fill(CLIENTS),
}

/** The commands of a page; those of a console without what they print. */
const blocksOf = (page: string) =>
  [...readFileSync(join(PROJECT, page), 'utf8').matchAll(/^```(sh|console)\n(.*?)^```$/gms)].map(
    ([, kind, text]) =>
      kind === 'sh'
        ? text!
        : [...text!.matchAll(/^\$ ((?:.*\\\n)*.*\n)/gm)].map(([, command]) => command!).join(''),
  )

const pages = [
  'README.md',
  ...readdirSync(join(PROJECT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
]

t.test('each block of commands is run by a test, or there is a reason why not', async (t) => {
  const counts = pages
    .filter((page) => page.endsWith('.md'))
    .map((page) => [page, blocksOf(page).length] as const)
    .filter(([, count]) => count > 0)
  t.same(
    Object.fromEntries(counts),
    Object.fromEntries(Object.entries(PLAN).map(([page, { length }]) => [page, length])),
  )
  const named = Object.values(PLAN).flatMap((plan) => plan.flatMap((how) => how.match(/\S+\.test\.ts/) ?? []))
  t.same(
    named.filter((path) => !existsSync(join(PROJECT, path))),
    [],
  )
})

const place = mkdtempSync(join(tmpdir(), 'almanac-walk-'))
t.teardown(() => rmSync(place, { recursive: true, force: true }))
const at = (...path: string[]) => join(place, ...path)
/** As in a shell of an operator: without what npm and tap tell their own children. */
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$|_?TAP|DATABASE$)/.test(name)),
)

/** The program as it is unpacked, in a folder of its own, where `data` is made. */
function unpack() {
  for (const name of [
    'bin',
    'src',
    'desk',
    'schemas',
    'drizzle',
    'words',
    'packaging',
    'package.json',
    'CHANGELOG.md',
    'tsconfig.json',
  ])
    cpSync(join(PROJECT, name), at(name), { recursive: true })
  symlinkSync(join(PROJECT, 'node_modules'), at('node_modules'))
  mkdirSync(at('path'))
  symlinkSync(at('bin', 'almanac.js'), at('path', 'almanac'))
  execFileSync('npm', ['run', '-s', 'build'], { cwd: place, env: ENV })
}

/** What a shell has beside the commands: `curl` fails where the answer is an error, unless the page prints one; a service ends once it answers. */
const BEFORE = `set -eo pipefail
curl() { command curl -sS $FAIL "$@"; echo; }
npm() {
  [ "$1" = start ] || { command npm "$@"; return; }
  : > start.log
  setsid npm start > start.log 2>&1 &
  local started=$!
  until grep -q 'answers at' start.log; do kill -0 $started || { cat start.log; return 1; }; sleep 0.1; done
  kill -- -$started
  while kill -0 -- -$started 2> /dev/null; do sleep 0.1; done
}
`

type Walk = { before: string; as: Record<string, string>; env: Record<string, string> }

/** Runs a block as a reader pastes it, with the addresses and passwords of this place. */
async function paste(page: string, block: string, { before, as, env }: Walk) {
  let script = before + block
  for (const [printed, here] of Object.entries(as)) script = script.replaceAll(printed, here)
  const isRefusal =
    readFileSync(join(PROJECT, page), 'utf8').split(block).at(1)?.startsWith('{"code"') ?? false
  const all = {
    ...ENV,
    FAIL: isRefusal ? '' : '--fail-with-body',
    PATH: `${at('path')}:${process.env.PATH}`,
    ...env,
  }
  return run('bash', ['-c', BEFORE + script], {
    cwd: place,
    env: all,
    maxBuffer: 2 ** 26,
    timeout: 3_600_000,
  })
}

const API = '/calendar/events/v1'

/** Starts the service on an empty folder, with an event and what belongs to it. */
async function begin(t: Test) {
  for (const name of ['data', 'backup', 'trial', 'elsewhere'])
    rmSync(at(name), { recursive: true, force: true })
  for (const name of ['backup/media', 'data/media', 'elsewhere']) mkdirSync(at(name), { recursive: true })
  const port = String(await freePort())
  const env = { PORT: port, LOG_LEVEL: 'error', BASE_URL: '' }
  const start = async () => {
    const cli = { args: [at('bin', 'almanac.js')], vars: { ...env, NODE_OPTIONS: '' } }
    const service = startProgram(t, cli, ['serve'], {
      DATABASE: at('data', 'almanac.db'),
      MEDIA_DIR: at('data', 'media'),
    })
    await service.said(/answers at/)
    return service
  }
  const service = await start()
  const origin = `http://127.0.0.1:${port}`
  const login = `admin:${firstPassword(at('data', 'almanac.db'))}`
  const body = {
    ...{ title: 'Evensong', start_date: 'tomorrow', end_date: 'tomorrow', all_day: true },
    ...{ venue: { venue: 'Hall' }, categories: ['Concerts'] },
  }
  const made = await fetch(`${origin}${API}/events`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(login)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (made.status !== 201) throw new Error(await made.text())
  const { headers } = await fetch(`${origin}${API}/events/1`, {
    headers: { authorization: `Basic ${btoa(login)}` },
  })
  const changes = await fetch(`${origin}${API}/changes?kind=event&per_page=500`)
  const { next_sync_token } = (await changes.json()) as { next_sync_token: string }
  const as = {
    'http://127.0.0.1:3000': origin,
    'https://calendar.example': origin,
    'admin:abcd EFGH ijkl MNOP qrst UVWX': login,
    'admin:<application password>': login,
    'admin:...': login,
    '"1cjj5rghdcs3v"': headers.get('etag')!,
    '3999': port,
    'sync_token=bWzE4...': `sync_token=${next_sync_token}`,
    '/backup': at('backup'),
    '/tmp/trial': at('trial'),
    '/mnt/elsewhere': at('elsewhere'),
  }
  return { service, start, login, walk: { as, env, before: `AUTH='${login}'\n` } }
}

t.test('the commands of the pages do as printed what they are printed for', async (t) => {
  unpack()
  writeFileSync(at('poster.jpg'), await draw(40, 30, 'jpeg'))
  for (const [page, plan] of Object.entries(PLAN)) {
    if (!plan.some((how) => how === SERVED || how === STOPPED)) continue
    const { service, start, walk } = await begin(t)
    let running: typeof service | undefined = service
    const said: string[] = []
    for (const [number, block] of blocksOf(page).entries()) {
      const how = plan[number]!
      if (how !== SERVED && how !== STOPPED) continue
      if (how === STOPPED && running) {
        running.child.kill()
        await running.ended
        running = undefined
      } else if (how === SERVED) running ??= await start()
      // what a page has set before stays in the reader's shell
      const before = walk.before + said.join('')
      const {
        code,
        stdout = '',
        stderr = '',
      } = await paste(page, block, { ...walk, before }).catch((error) => error)
      t.equal(code ?? 0, 0, `${page}: ${block.split('\n')[0]}: ${stdout.slice(-500)}${stderr.slice(-500)}`)
      said.push(
        ...block
          .split('\n')
          .filter((line) => /^[A-Z]+=\S+$|^[A-Z]+='[^']*'$/.test(line))
          .map((line) => `${line}\n`),
      )
    }
    running?.child.kill()
    await running?.ended
  }
})
