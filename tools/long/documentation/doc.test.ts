import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { type Api, build } from '../../../test/support/app.ts'
import { documentOf, operationsOf } from '../../../test/support/document.ts'
import { seed } from '../../../test/support/seed.ts'
import { findingsOf, noteThrown } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

const DESK = { width: 1280, height: 900 }
const PHONE = { width: 390, height: 844 }
const MOUNT = '/calendar/events/v1'
let browser: Browser
let api: Api
let origin: string
/** A service that listens, with an event. */
t.before(async () => {
  browser = await sharedBrowser()
  api = await build(t)
  await seed(api)
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
})

/** The page of a mount in a window of its own; what the browser complained of or asked others for. It takes seconds of processor time. */
async function open(t: Test, mount: string, looks: BrowserContextOptions = {}, place = '') {
  const context = await browser.newContext({ viewport: DESK, ...looks })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  noteThrown(page, faults)
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      faults.push(`asks ${url}`)
  })
  await page.goto(`${origin}${mount}/doc${place}`)
  await page.locator('.opblock').first().waitFor()
  return { page, faults }
}

let shown: { mount: string; opened: Awaited<ReturnType<typeof open>> } | undefined
/** The page of a mount that tests share which leave nothing behind in it but operations that are open; one mount after the other. */
async function shared(mount: string) {
  if (shown?.mount !== mount) {
    await shown?.opened.page.context().close()
    shown = { mount, opened: await open(t, mount) }
  }
  return shown.opened
}

const blockOf = (page: Page, operationId: string) => page.locator(`.opblock[id$="-${operationId}"]`)
const idsOf = (page: Page, blocks: string) =>
  page
    .locator(`.opblock-tag-section ${blocks}`)
    .evaluateAll((found) => found.map(({ id }) => id.split('-').at(-1)!))
const shownIds = (page: Page) => idsOf(page, '.opblock:visible')

/** Opens an operation to be tried out, unless it is already. */
async function tryOut(page: Page, operationId: string) {
  const block = blockOf(page, operationId)
  if (!(await block.getAttribute('class'))!.includes('is-open')) {
    await block.locator('.opblock-summary-control').click()
    await block.getByRole('button', { name: 'Try it out' }).click()
  }
  return block
}

/** Sends an operation, and gives the status, the address that was asked, and the body. */
async function execute(page: Page, operationId: string) {
  const block = await tryOut(page, operationId)
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

for (const mount of ['/wp-json/tribe/events/v1', '/ca/calendar/events/v1', MOUNT])
  t.test(`a browser opens ${mount}/doc, tries GET /events and sees events`, async (t) => {
    const { page, faults } = await shared(mount)
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

t.test('a read has the ID of a record that exists, and a write has none', async (t) => {
  const { page, faults } = await shared(MOUNT)
  const { status, body } = await execute(page, 'getVenue')
  t.match({ status, body }, { status: 200, body: { venue: 'Hall' } })

  const block = await tryOut(page, 'deleteVenue')
  t.equal(await block.locator('tr[data-param-name="id"] input').inputValue(), '')
  t.same(faults, [])
})

t.test('the filter finds the words of summaries', async (t) => {
  const { page, faults } = await shared(MOUNT)
  const all = await shownIds(page)
  const filter = page.getByRole('searchbox')
  await filter.fill('Upload image')
  await page.locator('.opblock-tag-section .opblock').nth(1).waitFor({ state: 'detached' })
  t.same(await shownIds(page), ['createMedia'])
  await filter.fill('by slug venue')
  await blockOf(page, 'deleteVenueBySlug').waitFor()
  const bySlug = await shownIds(page)
  t.ok(bySlug.length > 2 && bySlug.every((id) => id.includes('VenueBySlug')), bySlug.join(' '))
  await filter.fill('')
  await blockOf(page, 'listEvents').waitFor()
  t.same(await shownIds(page), all)
  t.same(faults, [])
})

t.test('a list is filtered by the name of a category, as well as by an ID', async (t) => {
  const { page, faults } = await shared(MOUNT)
  const block = await tryOut(page, 'listEvents')
  await block.getByRole('button', { name: /more parameters/ }).click()
  const row = block.locator('tr[data-param-name="categories"]')
  await row.getByRole('button', { name: /Add/ }).click()
  await execute(page, 'listEvents') // the page has taken over the new row, which could undo what is typed before
  await row.locator('input').fill('music')
  t.match((await execute(page, 'listEvents')).url, '&categories=music')
  t.same(faults, [])
})

t.test('all operations are there; writes by slug and other methods of updates are folded', async (t) => {
  const { page } = await shared(MOUNT)
  const described = operationsOf(documentOf(api.app)).map(({ operationId }) => operationId)
  t.same((await idsOf(page, '.opblock')).sort(), described.sort(), 'each once, below its tag')
  const shown = await shownIds(page)
  t.notOk(shown.includes('deleteEventBySlug'))
  t.ok(shown.includes('getEventBySlug') && shown.includes('updateEvent'))
  await page
    .locator('.tag-folded')
    .getByRole('button', { name: /more: writes by slug/ })
    .click()
  await blockOf(page, 'deleteEventBySlug').waitFor()
})

t.test('the page is readable on a desk and on a phone, in light and in dark colours', async (t) => {
  const { page, faults } = await open(t, MOUNT, { colorScheme: 'dark' })
  const width = () => page.evaluate('document.documentElement.scrollWidth')
  const brightness = async (property: 'color' | 'background-color', selector: string) => {
    const found = `getComputedStyle(document.querySelector('.swagger-ui ${selector}, ${selector}'))`
    const color: string = await page.evaluate(`${found}.getPropertyValue('${property}')`)
    return Math.max(...color.match(/\d+/g)!.slice(0, 3).map(Number))
  }
  for (const [device, viewport] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(viewport)
    t.equal(await width(), viewport.width, `nothing is wider than the page on a ${device}`)
    const blocks = ['listEvents', 'createEvent'].map((operationId) => blockOf(page, operationId))
    for (const block of blocks) {
      await block.locator('.opblock-summary-control').click()
      await block.locator('.responses-table .response').first().waitFor()
      await block.getByRole('button', { name: /^Other responses: .*500/ }).waitFor()
      const id = await block.getAttribute('id')
      t.equal(await width(), viewport.width, `${id} is not wider than the page on a ${device}`)
      if (device === 'desk') {
        const { height } = (await block.boundingBox())!
        t.ok(height < 2 * viewport.height, `${id} has ${height} pixels`)
      }
      await block.getByRole('tab', { name: 'Python', exact: true }).click()
      t.match(await block.locator('.samples').innerText(), /urllib\.request/)
      await block.getByRole('button', { name: /^Other responses/ }).click()
      await block.locator('.response[data-code="500"]').waitFor()
    }
    // both operations are open, and all others are closed
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      const dark = colorScheme === 'dark'
      await page.locator(dark ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor()
      t.equal(await width(), viewport.width, 'nothing is wider than the page')
      t.equal((await brightness('background-color', 'html')) < 60, dark)
      for (const text of ['.info .title', '.chapters p', '.chapters summary h2', '.chapters pre code'])
        t.equal((await brightness('color', text)) > 150, dark, text)
      t.same(await findingsOf(page), [], `axe finds nothing on a ${device} in ${colorScheme} colours`)
    }
    t.same(faults, [])
    for (const block of blocks) {
      await block.locator('.opblock-summary-control').click()
      await block.locator('.responses-table').waitFor({ state: 'detached' })
    }
  }
})

t.test('the introduction shows the address of the page, and folds its chapters', async (t) => {
  const { page } = await shared('/wp-json/tribe/events/v1')
  const chapters = page.locator('.chapters details')
  t.match(await chapters.first().innerText(), `API=${origin}/wp-json/tribe/events/v1`)
  t.ok((await chapters.count()) >= 9)
  t.same(await page.locator('.chapters details[open] h2').allInnerTexts(), ['Getting started'])
})

t.test('a browser signs in with a password or a token, and stays signed in', async (t) => {
  const { page, faults } = await open(t, MOUNT, {}, '#/Venues/createVenue')
  await page.locator('#operations-Venues-createVenue.is-open').waitFor() // where the address leads
  t.same(faults, [])

  const { token } = await api.app.store.tokens.add(
    api.credentials.administrator.id,
    'x',
    ['read', 'write', 'admin'],
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

  await t.test('what it creates it can read, change and delete, by the examples as they stand', async (t) => {
    const created = await execute(page, 'createEvent')
    t.match(created, { status: 201, body: { title: String } }, JSON.stringify(created.body))
    for (const operation of ['getEvent', 'updateEvent', 'deleteEvent']) {
      const { status, url, body } = await execute(page, operation)
      t.match({ status, url }, { status: 200, url: `/events/${created.body.id}` }, operation)
      t.equal(body.title, created.body.title)
    }
    t.same(faults, [])
  })
})
