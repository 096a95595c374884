import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { build } from '../../test/support/app.ts'
import { seed } from '../../test/support/seed.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** Milliseconds that a step of the page may take on a slow machine. */
const PATIENCE = 60_000

let browser: Browser
t.before(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error(
      `There is no browser at ${CHROMIUM}: \`apt-get install chromium\`, or name one in CHROMIUM.`,
    )
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: PATIENCE })
})
t.teardown(() => browser?.close())

/** A service that listens, with an event, and the page of one of its mounts; what the browser complained of or asked others for. */
async function open(t: Test, mount: string) {
  const api = await build(t)
  await seed(api)
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      faults.push(`asks ${url}`)
  })
  await page.goto(`${origin}${mount}/doc`)
  await page.locator('.opblock').first().waitFor()
  return { api, origin, page, faults }
}

/** Opens an operation, sends it, and gives the status, the address that was asked, and the body. */
async function execute(page: Page, operationId: string) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`)
  if (!(await block.getAttribute('class'))!.includes('is-open')) {
    await block.locator('.opblock-summary-control').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
  }
  const clear = block.getByRole('button', { name: 'Clear' })
  if (await clear.isVisible()) await clear.click()
  await block.getByRole('button', { name: 'Execute' }).click()
  const live = block.locator('.live-responses-table')
  await live.waitFor()
  return {
    status: Number((await live.locator('tbody .response-col_status').first().innerText()).match(/\d+/)![0]),
    url: await block.locator('.request-url pre').innerText(),
    body: JSON.parse(await live.locator('.highlight-code code').first().innerText()),
  }
}

async function authorize(page: Page, fill: (dialog: ReturnType<Page['locator']>) => Promise<void>) {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  const dialog = page.locator('.modal-ux')
  const out = dialog.getByRole('button', { name: 'Logout' })
  while (await out.count()) await out.first().click()
  await fill(dialog)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
}

for (const mount of ['/calendar/events/v1', '/wp-json/tribe/events/v1', '/ca/calendar/events/v1'])
  t.test(`a browser opens ${mount}/doc, tries GET /events and sees events`, async (t) => {
    const { origin, page, faults } = await open(t, mount)
    t.equal(await page.title(), 'Almanac API')
    t.same(await page.locator('.servers select option').allInnerTexts(), [mount])
    const { status, url, body } = await execute(page, 'listEvents')
    t.equal(status, 200)
    t.match(url, `${origin}${mount}/events?`)
    // the event is in English, and the Catalan site shows its own
    t.same(
      body.events.map(({ title }: { title: string }) => title),
      mount.startsWith('/ca/') ? [] : ['Concert'],
    )
    t.match(body.rest_url, `${mount}/events/`)
    t.same(faults, [], 'nothing was blocked, and nobody else was asked')
  })

t.test('a browser signs in with a password or a token, and stays signed in', async (t) => {
  const { api, page, faults } = await open(t, '/calendar/events/v1')
  const { token } = await api.app.store.tokens.add(
    api.credentials.administrator.id,
    'x',
    ['read', 'admin'],
    null,
  )
  const { password } = (await api.administrator.post('/users', { login: 'berta', role: 'administrator' }))
    .body

  const asked = await execute(page, 'listUsers')
  t.equal(asked.status, 401, 'nobody yet')
  t.same(
    faults.splice(0).filter((fault) => !fault.includes('401')),
    [],
  )

  await authorize(page, async (dialog) => {
    const basic = dialog.locator('.auth-container', { hasText: 'basic' })
    await basic.getByLabel(/username/i).fill('berta')
    await basic.getByLabel(/password/i).fill(password)
    await basic.getByRole('button', { name: 'Apply credentials' }).click()
  })
  const byPassword = await execute(page, 'listUsers')
  t.match(byPassword, { status: 200, body: { users: Array } })

  await authorize(page, async (dialog) => {
    const bearer = dialog.locator('.auth-container', { hasText: 'bearer' })
    await bearer.getByLabel(/value/i).fill(token)
    await bearer.getByRole('button', { name: 'Apply credentials' }).click()
  })
  t.match(await execute(page, 'listUsers'), { status: 200, body: { users: Array } })

  await page.reload()
  await page.locator('.opblock').first().waitFor()
  t.equal((await execute(page, 'listTokens')).status, 200, 'after a reload, too')
  t.same(faults, [])
})

t.test('an address leads to its operation', async (t) => {
  const { origin, page, faults } = await open(t, '/calendar/events/v1')
  await page.goto('about:blank')
  await page.goto(`${origin}/calendar/events/v1/doc#/Venues/createVenue`)
  await page.locator('#operations-Venues-createVenue.is-open').waitFor()
  t.same(faults, [])
})
