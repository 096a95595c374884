import { join } from 'node:path'
import { loadDemo } from '../demo/load.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { launch, signedIn } from '../tools/browser.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { inTurn, middleBy, table } from './figures.ts'
import { BOTH, startProgram } from './process.ts'

/** What the desk costs with many events beside the same with the demo's: `npm run bench:desk [events]`. Prints a table. */
const EVENTS = Number(process.argv[2] ?? 100_000)
/** How often each step is measured, in turn; the median counts. */
const ROUNDS = Number(process.argv[3] ?? 5)

type Browser = Awaited<ReturnType<typeof launch>>
type Page = Awaited<ReturnType<Browser['newPage']>>
type Cost = { ms: number; requests: number; bytes: number }
/** A step of an editor: where it begins, what is done, and what is there when it is done. */
type Step = { name: string; at: string; act: string; shown: string }

const click = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).click()`
const fill = (label: string, value: string) => `{
  const field = [...document.querySelectorAll('label')].find((one) => one.textContent.trim() === '${label}').control
  field.value = ${value}
  field.dispatchEvent(new Event(field.localName === 'select' ? 'change' : 'input', { bubbles: true }))
}`
/** A list that was read again. */
const READ = 'wasBusy && !isBusy()'
const STEPS: Step[] = [
  { name: 'next page of the list', at: 'events', act: click('.pager a[rel=next]'), shown: READ },
  {
    ...{ name: 'search for a word', at: 'events', shown: READ },
    act: fill('Search', 'document.querySelector(".events .title a").textContent.split(" ")[0]'),
  },
  {
    ...{ name: 'filter by category', at: 'events', shown: READ },
    act: fill('Category', '[...field.options].at(-1).value'),
  },
  { name: 'trash', at: 'events', act: click('.tabs li:last-child a'), shown: READ },
  {
    ...{ name: 'form of an event', at: 'events', act: click('.events .title a') },
    shown: 'document.querySelector(".ProseMirror") && document.querySelector(".tree input")',
  },
  {
    ...{ name: 'venues found by typing', at: 'events/new', act: fill('Venue', '"a"') },
    shown: 'document.querySelector(".combo [role=option] span:not(.make)")?.checkVisibility()',
  },
  { name: 'month', at: 'events', act: click('a[href="#/month"]'), shown: READ },
  { name: 'next month', at: 'month', act: click('.turn a[rel=next]'), shown: READ },
  { name: 'venues', at: 'events', act: click('a[href="#/venues"]'), shown: READ },
  { name: 'categories', at: 'events', act: click('a[href="#/categories"]'), shown: READ },
  { name: 'changes', at: 'events', act: click('a[href="#/changes"]'), shown: READ },
]

/** In the page: milliseconds from an act until the browser has drawn what it leads to, and what was asked for meanwhile. */
const measured = ({ act, shown }: Step) => `(async () => {
  performance.clearResourceTimings()
  performance.setResourceTimingBufferSize(5000)
  const isBusy = () => document.querySelector('[aria-busy=true], p.loading') !== null
  let wasBusy = false
  const there = new Promise((resolve, reject) => {
    const look = () => {
      wasBusy ||= isBusy()
      if (${shown}) resolve(observer.disconnect())
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { subtree: true, childList: true, attributes: true })
    setTimeout(() => reject(new Error('not shown in a minute')), 60_000)
  })
  const from = performance.now()
  ${act}
  await there
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const ms = performance.now() - from
  const entries = performance.getEntriesByType('resource')
  return { ms, requests: entries.length, bytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0) }
})()`

/** In the page: from its address until the first list is drawn. */
const LOADED = `(() => {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  return { ms: performance.now(), requests: entries.length, bytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0) }
})()`

async function addUser(database: string, demo: boolean, folder: string) {
  const config = readConfig({ DATABASE: database, MEDIA_DIR: join(folder, 'media') })
  const app = await buildApp({ config })
  const user = (await app.store.users.add('desk-bench', 'administrator'))!
  const authorization = `Basic ${Buffer.from(`desk-bench:${user.password}`).toString('base64')}`
  if (demo)
    await loadDemo(app, {
      root: `/${config.namespace}`,
      authorization,
      now: Date.now(),
      zone: config.timezone,
    })
  await app.close()
  return authorization
}

/** Starts the built program on a database, and signs in. */
async function serve(name: string, database: string, demo: boolean, folder: string) {
  const authorization = await addUser(database, demo, folder)
  const env = { DATABASE: database, MEDIA_DIR: join(folder, 'media') }
  const server = await startProgram(env, BOTH)
  const url = `${server.url}/calendar/events/v1`
  const total = await fetch(`${url}/events?status=any&when=all`, { headers: { authorization } })
  return {
    ...{ server, storageState: await signedIn(server.url, '/calendar/events/v1', authorization) },
    name: `${name} ${((await total.json()) as { total: number }).total.toLocaleString('en')}`,
  }
}
type Served = Awaited<ReturnType<typeof serve>>

/** A window without anything kept, signed in, that shows a place. */
async function openAt(browser: Browser, { server, storageState }: Served, place: string): Promise<Page> {
  const viewport = { width: 1280, height: 900 }
  const context = await browser.newContext({ viewport, locale: 'en-GB', storageState })
  const page = await context.newPage()
  await page.goto(`${server.url}/desk/#/${place}`)
  await page.locator('.results[aria-busy=false], .month, form.edit').first().waitFor()
  await page.locator('[aria-busy=true], p.loading').first().waitFor({ state: 'detached' })
  return page
}

async function load(browser: Browser, served: Served): Promise<Cost> {
  const page = await openAt(browser, served, 'events')
  await page.locator('table.events').waitFor()
  const cost = (await page.evaluate(LOADED)) as Cost
  await page.context().close()
  return cost
}

async function step(browser: Browser, served: Served, one: Step): Promise<Cost> {
  const page = await openAt(browser, served, one.at)
  await page.waitForLoadState('networkidle')
  const cost = (await page.evaluate(measured(one))) as Cost
  await page.context().close()
  return cost
}

/** Measures something in both calendars in turn. The first round warms up and does not count. */
async function compare(name: string, few: Served, many: Served, cost: (served: Served) => Promise<Cost>) {
  const ways = [few, many].map((served) => () => cost(served))
  const [one, other] = (await inTurn(ROUNDS + 1, ...ways)).map((costs) =>
    middleBy(costs.slice(1), ({ ms }) => ms),
  ) as [Cost, Cost]
  const kilobytes = ({ bytes }: Cost) => (bytes / 1000).toFixed(1)
  return [
    ...[name, one.ms.toFixed(0), other.ms.toFixed(0), (other.ms / one.ms).toFixed(1)],
    ...[one.requests, other.requests, kilobytes(one), kilobytes(other)].map(String),
  ]
}

const folder = temporaryFolder()
const data = copyData(await openData(EVENTS))
const browser = await launch()
const started: Served[] = []
try {
  const few = await serve('demo', join(folder, 'demo.db'), true, folder)
  started.push(few)
  const many = await serve('made', data.file, false, folder)
  started.push(many)
  const rows = [await compare('first load', few, many, (served) => load(browser, served))]
  for (const one of STEPS)
    rows.push(await compare(one.name, few, many, (served) => step(browser, served, one)))
  const head = ['', `${few.name} ms`, `${many.name} ms`, 'times', 'requests', 'requests', 'kB', 'kB']
  process.stdout.write(`${table(head, rows)}\n`)
} finally {
  await browser.close()
  for (const { server } of started) await server.stop()
  data.remove()
}
