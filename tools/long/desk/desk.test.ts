import type { Browser } from 'playwright-core'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { greet } from '../../../src/run/serve.ts'
import { build } from '../../../test/support/app.ts'
import { addUser, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { answered, findingsOf, listen, open } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** An event as the tests need one. */
const CONCERT = {
  title: 'Concert in the park',
  start_date: '2026-11-28 20:00:00',
  end_date: '2026-11-28 22:00:00',
  description: '<p>Bring a blanket.</p>',
}

t.test('from the login that the first start prints to the first published event', async (t) => {
  const api = await build(t, { users: false })
  const origin = await listen(api)
  let printed = ''
  await greet(api.app.store, readConfig({ BASE_URL: origin }), {
    print: (text) => {
      printed += text
    },
    terminal: true,
  })
  const [, login] = /created: +(\w+)/.exec(printed)!
  const [, password] = /password: +(.+)/.exec(printed)!
  const { page, faults, context } = await open(t, browser, origin, { locale: 'en-GB' })
  await page.goto(/https?:\S+\/desk\//.exec(printed)![0])
  await typeLogin(page, { login: login!, password: 'wrong' })
  await page.getByRole('alert').filter({ hasText: 'Login or password is wrong' }).waitFor()
  await typeLogin(page, { login: login!, password: password! })
  await page.getByRole('dialog', { name: 'Set up your calendar' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Write the first one' }).click()
  await page.getByLabel('Title').fill('First night')
  await page.getByLabel('Begins on').fill('2031-05-02')
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'visible to everyone')
  const { body } = await api.anonymous.get('/events?when=all')
  t.match(body.events, [
    { title: 'First night', start_date: '2031-05-02 20:00:00', end_date: '2031-05-02 22:00:00' },
  ])
  const [shown] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'View in the calendar' }).click(),
  ])
  await shown.getByRole('heading', { level: 1, name: 'First night' }).waitFor()
  t.same(await context.cookies(origin), [], 'pages have none')
  t.same(unexpected(faults, 401), [])
})

t.test('an event is written with all that it has, and a venue is made on the spot', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('link', { name: 'New event' }).click()
  await page.getByLabel('Title').fill('Jazz & more')
  await page.getByLabel('Begins on').fill('2026-12-04')
  t.equal(await page.getByLabel('Ends on').inputValue(), '2026-12-04', 'the end moves with the start')
  await page.getByLabel('Begins at').fill('21:30')
  t.equal(await page.getByLabel('Ends at').inputValue(), '23:30')
  await page.getByRole('combobox', { name: 'Venue' }).pressSequentially('Jamboree')
  await page.getByRole('option', { name: 'Create “Jamboree”' }).click()
  const dialog = page.getByRole('dialog', { name: 'New venue' })
  await dialog.getByLabel('City').fill('Barcelona')
  await dialog.getByLabel('Map link').fill('https://www.google.com/maps/@41.3797,2.1750,17z')
  await dialog.getByText('Found: 41.3797, 2.175').waitFor()
  t.same(await findingsOf(page), [], 'axe finds nothing in a dialog')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Organizers' }).pressSequentially('Cor')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Create' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New organizer' }).getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const text = page.getByRole('textbox', { name: 'Description', exact: true })
  await text.click()
  await page.keyboard.type('Six players, ')
  await page.getByRole('button', { name: 'Bold' }).click()
  await page.keyboard.type('one')
  await page.getByRole('button', { name: 'Bold' }).click()
  await page.keyboard.type(' night')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.keyboard.type('Doors at nine')
  await page.getByLabel('Short description').fill('Six players & one night')
  await page.getByRole('combobox', { name: 'Categories' }).pressSequentially('Music')
  await page.getByRole('option', { name: 'Create “Music”' }).click()
  await page.getByRole('dialog', { name: 'New category' }).getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'Categories' }).getByText('Music').waitFor()
  await page.getByRole('combobox', { name: 'Tags' }).pressSequentially('late')
  await page.getByRole('option', { name: 'Create “late”' }).click()
  await page.getByLabel('Price').fill('10 - 15')
  await page.getByLabel('Website').fill('https://jamboree.example')
  await page.getByText('More settings').click()
  await page.getByLabel('Featured').check()
  t.same(await findingsOf(page), [], 'axe finds nothing in the form')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('dialog').getByText('Six players, one night').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'visible to everyone')
  const { body } = await api.anonymous.get('/events')
  t.match(body.events, [
    {
      title: 'Jazz & more',
      start_date: '2026-12-04 21:30:00',
      end_date: '2026-12-04 23:30:00',
      timezone: 'Europe/Madrid',
      venue: { venue: 'Jamboree', city: 'Barcelona', geo_lat: 41.3797, geo_lng: 2.175 },
      organizer: [{ organizer: 'Cor' }],
      categories: [{ name: 'Music' }],
      tags: [{ name: 'late' }],
      description: '<p>Six players, <strong>one</strong> night</p>\n<ul><li>Doors at nine</li></ul>',
      excerpt: '<p>Six players &amp; one night</p>',
      website: 'https://jamboree.example',
      featured: true,
    },
  ])
  await page.reload()
  t.equal(await page.getByLabel('Short description').inputValue(), 'Six players & one night')
  t.same(unexpected(faults), [])
})

t.test('errors of the API stand beside the fields that they name', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('link', { name: 'New event' }).click()
  await page.getByLabel('Title').fill('Too early')
  await page.getByLabel('Ends on').fill('2020-01-01')
  await page.getByLabel('Website').fill('not an address')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('alert').filter({ hasText: 'look at the fields' }).waitFor()
  t.equal(await page.getByLabel('Website').getAttribute('aria-invalid'), 'true')
  t.equal(await page.getByLabel('Ends on').getAttribute('aria-invalid'), 'true')
  await page.getByText('A whole address that begins with https://.').waitFor()
  await page.getByText('It must not be before the start.').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByLabel('Website').fill('')
  t.equal(await page.getByLabel('Website').getAttribute('aria-invalid'), null, 'until it is changed')
  t.same(unexpected(faults, 400), [])
})

t.test(
  'what is not saved is here after a reload, after a session that ended, and without a network',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { body } = await api.editor.post('/events', CONCERT)
    await api.editor.post('/categories', { name: 'Music' })
    await api.editor.post('/tags', { name: 'museum' })
    const who = await addUser(api, 'marta', 'editor')
    const { page, faults, context } = await openDesk(t, browser, origin, who)
    await page.getByRole('link', { name: CONCERT.title }).click()
    await page.getByLabel('Title').fill('Concert by the lake')
    await page.reload()
    await page.getByText('Your unsaved changes are here again.').waitFor()
    t.equal(await page.getByLabel('Title').inputValue(), 'Concert by the lake')
    // nothing is on its way that would be asked for again by itself
    for (const [kind, found] of [
      ['Categories', 'Music'],
      ['Tags', 'museum'],
    ] as const) {
      await page.getByRole('combobox', { name: kind }).fill('mus')
      await page.getByRole('option', { name: found }).waitFor()
      await page.getByRole('combobox', { name: kind }).fill('')
      await page.keyboard.press('Escape')
    }

    await context.setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await told(page, 'The service cannot be reached')
    await context.setOffline(false)
    await answered(page)
    api.clock.now += 13 * 3_600_000
    await page.getByRole('button', { name: 'Try again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    t.equal(await dialog.getByLabel('Login').inputValue(), 'marta')
    await typeLogin(page, who)
    await told(page, 'visible to everyone')
    t.match((await api.anonymous.get(`/events/${body.id}`)).body, { title: 'Concert by the lake' })

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    t.same([await context.cookies(), await page.evaluate('localStorage.length')], [[], 0])
    t.same(
      (await api.administrator.get('/tokens')).body.tokens.filter(
        ({ name }: { name: string }) => name === 'Session',
      ),
      [],
      'no token is left',
    )
    t.same(
      unexpected(faults, 401).filter((fault) => !/INTERNET_DISCONNECTED/.test(fault)),
      [],
    )
  },
)

t.test('two editors at once lose nothing', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { body } = await api.editor.post('/events', CONCERT)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('link', { name: CONCERT.title }).click()
  await page.getByLabel('Title').fill('Concert by the lake')
  await page.getByLabel('Price').fill('5')
  await api.editor.patch(`/events/${body.id}`, {
    title: 'Concert under trees',
    website: 'https://trees.example',
  })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await dialog.getByText('Concert by the lake').waitFor()
  await dialog.getByText('https://trees.example').waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByText('Concert under trees').click()
  await dialog.getByRole('button', { name: 'Save this version' }).click()
  await told(page, 'visible to everyone')
  t.match((await api.anonymous.get(`/events/${body.id}`)).body, {
    title: 'Concert under trees',
    website: 'https://trees.example',
    cost: /5/,
  })
  t.same(unexpected(faults, 412), [])
})
