import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { KEPT } from '../../src/calendar/settings.ts'
import { must } from '../support/answers.ts'
import { build, ROOT } from '../support/app.ts'
import { fillWithDemo } from '../support/demo.ts'
import { listenOn } from '../support/ports.ts'
import { runGuide } from './samples.ts'

const run = promisify(execFile)
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(PROJECT, name), 'utf8')

const GUIDES = ['docs', 'docs/decisions', 'docs/guides', 'docs/reference'].flatMap((folder) =>
  readdirSync(join(PROJECT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
)
const PAGES = [...readdirSync(PROJECT).filter((name) => name.endsWith('.md')), ...GUIDES]

/** The pages and files that a page links to, as paths in the project. */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, path]) =>
    join(dirname(page), path!),
  )

t.test('every link of a page leads to a file', async (t) => {
  t.same(
    PAGES.flatMap((page) =>
      linksOf(page)
        .filter((path) => !existsSync(join(PROJECT, path)))
        .map((path) => `${page}: ${path}`),
    ),
    [],
  )
})

t.test('every page is linked from the index', async (t) => {
  const linked = new Set(linksOf('docs/README.md'))
  const pages = PAGES.filter((page) => page !== 'docs/README.md')
  t.same(
    pages.filter((page) => !linked.has(page)),
    [],
  )
})

t.test('the README fits on three screens', async (t) => {
  const lines = read('README.md').trimEnd().split('\n').length
  t.ok(lines <= 150, `${lines} lines`)
})

/** The script of a guide, as its reader saves it: a block of code with a file name. */
function scriptOf(guide: string, name: string, folder: string) {
  const [, text] = read(guide).split(`\`\`\`js ${name}\n`)
  const file = join(folder, name)
  writeFileSync(file, text!.split('\n```')[0]!)
  return file
}

t.test(
  'the copy of the guide follows the calendar, and begins anew when it was away for too long',
  async (t) => {
    const { app, administrator } = await build(t, { now: Date.parse('2026-12-01T10:00:00Z') })
    const make = (title: string) =>
      administrator.post('/events', { title, start_date: '2026-12-05', end_date: '2026-12-05' })
    const first = (await make('First')).body.id
    const second = (await make('Second')).body.id
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const cwd = t.testdir()
    const script = scriptOf('docs/guides/sync.md', 'copy.mjs', cwd)
    const env = { ...process.env, NODE_OPTIONS: '', ALMANAC: origin + ROOT }
    const copy = async () => (await run('node', [script], { env, cwd })).stdout.trim().split('\n')
    t.same(await copy(), [`create ${first} First`, `create ${second} Second`, '2 events'])
    t.same(await copy(), ['2 events'])
    await administrator.patch(`/events/${first}`, { title: 'Other' })
    await administrator.delete(`/events/${second}`)
    t.same(await copy(), [`update ${first} Other`, `delete ${second}`, '1 events'])
    await administrator.patch(`/events/${first}`, { title: 'Third' })
    await administrator.patch(`/events/${first}`, { title: 'Fourth' })
    await app.store.compaction.compact(-1)
    t.same(await copy(), [`create ${first} Fourth`, '1 events'])
  },
)

t.test('the month of the guide has an exhibition on each of its days', async (t) => {
  const { app, administrator } = await build(t)
  const events = [
    { title: 'Exhibition', start_date: '2027-04-10 10:00:00', end_date: '2027-06-20 18:00:00' },
    { title: 'First night', start_date: '2027-05-01 00:00:00', end_date: '2027-05-01 01:00:00' },
    { title: 'Last night', start_date: '2027-05-31 23:00:00', end_date: '2027-06-01 01:00:00' },
    { title: 'April', start_date: '2027-04-30 20:00:00', end_date: '2027-04-30 22:00:00' },
    { title: 'June', start_date: '2027-06-01 00:00:00', end_date: '2027-06-01 02:00:00' },
  ]
  for (const event of events) t.equal((await administrator.post('/events', event)).status, 201)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const script = scriptOf('docs/guides/month-view.md', 'month.mjs', t.testdir())
  const env = { ...process.env, NODE_OPTIONS: '', ALMANAC: origin + ROOT }
  const { stdout } = await run('node', [script, '2027-05'], { env })
  const days = stdout.trim().split('\n')
  t.equal(days.length, 31)
  t.same(
    [days[0], days[1], days[30]],
    ['2027-05-01 Exhibition, First night', '2027-05-02 Exhibition', '2027-05-31 Exhibition, Last night'],
  )
})

/** Runs blocks of commands as a reader pastes them, after others, in one shell that ends at the first failure. Returns what they print. */
async function paste(guide: string, blocks: RegExp, as: Record<string, string>, before = '') {
  const shown = [...read(guide).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!)
  const chosen = shown.filter((text) => blocks.test(text))
  if (chosen.length === 0) throw new Error(`${guide} has no such commands`)
  let script = `set -eo pipefail\ncurl() { command curl -sS --fail-with-body "$@"; echo; }\n${before}\n${chosen.join('\n')}`
  for (const [printed, here] of Object.entries(as)) script = script.replaceAll(printed, here)
  return (
    await run('bash', ['-c', script], { env: { ...process.env, NODE_OPTIONS: '' }, maxBuffer: 2 ** 26 })
  ).stdout
}
const PRINTED = 'http://127.0.0.1:3000'
const PASSWORD = 'admin:abcd EFGH ijkl MNOP qrst UVWX'

/** A service that listens, and an administrator of it as a login with its password. */
async function open(t: Test, env = {}) {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', ...env } })
  const { body } = await api.administrator.post('/users', { login: 'wanda', role: 'administrator' })
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  return { api, as: { [PRINTED]: origin, [PASSWORD]: `wanda:${body.password}` } }
}

t.test('the commands for translations do what the guide says, also in a calendar with events', async (t) => {
  const { api, as } = await open(t)
  await api.administrator.post('/venues', { venue: 'Hall' })
  const printed = await paste('docs/guides/translations.md', /./, as)
  const { body } = await api.anonymous.get('/events?start_date=2027-05-14')
  const [en, ca] = body.events
  const facts = { start_date: '2027-05-15 20:00:00', venue: { venue: 'City Park' }, cost: '$5' }
  t.match(body.events, [
    { ...facts, title: 'Concert in the park, on Saturday', language: 'en', translations: { ca: ca.id } },
    { ...facts, title: 'Concert al parc', language: 'ca', translations: { en: en.id } },
  ])
  t.match(printed, /^2027-05-15 20:00:00$/m)
  t.match(printed, /^x-translations-differ: ca: cost\r?$/m)
})

t.test('the commands for series do what the guide says', async (t) => {
  const { api, as } = await open(t)
  await api.administrator.post('/venues', { venue: 'Hall' })
  const printed = await paste('docs/guides/series.md', /./, as)
  const dates = async (id: number) =>
    (await api.anonymous.get(`/events?series=${id}&start_date=2027-01-01`)).body.events.map(
      ({ title, start_date }: Record<string, string>) => `${start_date!.slice(5, 16)} ${title}`,
    )
  const { series } = (await api.anonymous.get('/series')).body
  const byTitle = new Map(series.map(({ title, id }: { title: string; id: number }) => [title, id]))
  const found = await Promise.all([...byTitle.values()].map((id) => dates(id as number)))
  t.same([...byTitle.keys()], ['Assaig del cor', 'Open day', 'Choir rehearsal'])
  const tuesdays = ['05-11', '05-18', '05-25', '06-01']
  const title = (day: string) => (day === '05-18' ? 'Rehearsal with orchestra' : 'Choir rehearsal')
  t.same(found, [
    tuesdays.map((day) => `${day} 19:30 Assaig del cor`),
    ['06-05', '07-03', '09-04', '10-02', '11-06'].map((day) => `${day} 00:00 Open day`),
    tuesdays.map((day) => `${day} 19:30 ${title(day)}`),
  ])
  t.match(printed, 'RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4', 'the calendar of the series')
  t.match(printed, /"status":"trash"/, 'a series was deleted')
  t.match(printed, /"next_sync_token"/)
  t.match(printed, /"feed_url"/, 'the last command was reached')
})

t.test('the commands for feeds find events in the calendar of the demo', async (t) => {
  const { api, as } = await open(t)
  await fillWithDemo(api)
  const printed = await paste('docs/guides/calendar-feeds.md', /curl/, as)
  t.equal(printed.match(/<rss /g)?.length, 1)
  t.match(printed, /<item[ >]/, 'concerts')
  t.match(printed, /<entry[ >]/, 'jazz')
  t.match(printed, /"@context":"https:..schema.org"/)
  t.equal(printed.match(/BEGIN:VCALENDAR/g)?.length, 2)
  t.match(printed, /"items":\[\{/)
})

t.test('the commands for messages find the one to be sent again', async (t) => {
  const { api, as } = await open(t, { DOWNLOAD_ALLOW: '127.0.0.1' })
  const receiver = createServer((_request, response) => response.end())
  const url = `http://127.0.0.1:${await listenOn(t, receiver)}/`
  t.match(await api.administrator.post('/webhooks', { url }), { status: 201, body: { id: 1 } })
  await must(api.administrator.post('/webhooks/1/test'))
  const before = `API=${PRINTED}${ROOT}\nAUTH='${PASSWORD}'`
  const printed = await paste('docs/guides/webhooks.md', /DELIVERY/, as, before)
  t.match(printed, /"secret":"whsec_/, 'the last command was reached')
})

t.test('an example of settings in the README holds for a calendar with events', (t) => {
  const examples = [...read('README.md').matchAll(/`([^`]*npm (?:start|run demo))`/g)].map(
    ([, text]) => text!,
  )
  t.ok(examples.some((example) => example.includes('=')))
  t.same(
    examples.filter((example) => Object.keys(KEPT).some((name) => example.includes(`${name}=`))),
    [],
  )
  t.end()
})

t.test('the JavaScript receiver of the guide accepts what is signed', (t) =>
  runGuide(t, process.execPath, 'receiver.mjs'),
)
