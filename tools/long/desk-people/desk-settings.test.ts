import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { keepServing } from '../../../src/run/serve.ts'
import { must } from '../../../test/support/answers.ts'
import { ROOT } from '../../../test/support/given.ts'
import { draw } from '../../../test/support/pictures.ts'
import { freePort } from '../../../test/support/ports.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { inPage, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('an administrator gives the calendar a name, a colour, a logo and links', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByLabel('Name of the calendar').fill('Vic & around')
  await page.getByLabel('Colour', { exact: true }).fill('#00558b')
  await page.getByRole('button', { name: 'Add a link' }).click()
  await page.getByLabel('Text of link 1').fill('Town hall')
  await page.getByLabel('Address of link 1').fill('town.example')
  await page.setInputFiles('input[type=file]', {
    ...{ name: 'logo.png', mimeType: 'image/png', buffer: await draw(200, 80, 'png') },
  })
  await page.getByRole('img', { name: 'Logo' }).waitFor()
  const looks = page.getByRole('region', { name: 'Preview' })
  await looks.getByText('On light screens').waitFor()
  await looks.getByText('On dark screens').waitFor()
  t.equal(await page.getByLabel('Time zone', { exact: true }).isDisabled(), true, 'the environment sets it')
  await page.getByText('Set when the service is started: TIMEZONE.').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'look at the fields' }).waitFor()
  await page.getByLabel('Address of link 1').fill('https://town.example/')
  await page.getByRole('button', { name: 'Save' }).click()
  await told(page, /^Saved\./)
  await page.locator('.bar').getByRole('link', { name: 'Vic & around' }).waitFor()
  await inPage(
    page,
    `getComputedStyle(document.documentElement).getPropertyValue('--site-accent').trim() === '#00558b'`,
  )

  // somebody else has saved meanwhile
  await must(api.administrator.patch('/settings', { name: 'Olot' }))
  await page.getByRole('button', { name: 'Remove link 1' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Address of link 1').waitFor()
  t.equal(await page.getByLabel('Name of the calendar').inputValue(), 'Olot')
  t.same(unexpected(faults, 400, 412), [])

  const visitor = await open(t, browser, origin, { viewport: PHONE })
  await visitor.page.goto(`${origin}/events/`)
  await visitor.page.getByRole('img', { name: 'Olot' }).waitFor()
  await visitor.page
    .getByRole('navigation', { name: 'Links' })
    .getByRole('link', { name: 'Town hall' })
    .waitFor()
  t.same(await findingsOf(visitor.page), [])
  t.equal(await overflowOf(visitor.page), 0)
})

t.test(
  'the first sign-in asks once what the calendar is called and where it is, and the service starts anew',
  async (t) => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const DATABASE = join(t.testdir(), 'a.db')
    const config = readConfig({ DATABASE, PORT: String(port), LOG_LEVEL: 'silent', MAX_DELAY: '0' })
    let printed = ''
    const print = (text: string) => {
      printed += text
    }
    const { stop } = await keepServing(config, { print, terminal: true }, () => {})
    t.teardown(stop)
    const password = /password: +(.+)/.exec(printed)![1]!
    const { page, faults } = await open(t, browser, origin, {
      // a language without a country: the place of the device says where it is
      ...{ locale: 'ca', timezoneId: 'Europe/Madrid', viewport: PHONE },
    })
    await page.goto(`${origin}/desk/`)
    await page.getByLabel('Usuari').fill('admin')
    await page.getByLabel('Contrasenya', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Entra', exact: true }).click()
    const asked = page.getByRole('dialog', { name: 'Configura la teva agenda' })
    t.equal(await asked.getByLabel('On és?').inputValue(), 'ES')
    t.equal(await asked.getByLabel('Zona horària').inputValue(), 'Europe/Madrid')
    t.equal(await asked.getByLabel('Moneda').inputValue(), 'EUR')
    t.equal(await asked.getByLabel('Idioma predeterminat').inputValue(), 'ca')
    t.same(await findingsOf(page), [])
    await asked.getByLabel('On és?').selectOption({ label: 'Mèxic' })
    t.equal(await asked.getByLabel('Zona horària').inputValue(), 'America/Mexico_City')
    t.equal(await asked.getByLabel('Moneda').inputValue(), 'MXN')
    await asked.getByLabel('On és?').selectOption('ES')
    await asked.getByLabel('Nom de l’agenda').fill('Vic & voltants')
    await asked.getByLabel('Color', { exact: true }).fill('#00558b')
    await asked
      .getByRole('region', { name: 'Previsualització' })
      .getByText('Vic & voltants')
      .first()
      .waitFor()
    t.equal(await overflowOf(page), 0)
    // errors of the API are told in the language of the desk
    await asked.getByLabel('Moneda').fill('XXL')
    await asked.getByRole('button', { name: 'Desa' }).click()
    await asked.getByText('Una moneda com ara EUR.').waitFor()
    await asked.getByLabel('Moneda').fill('EUR')
    await asked.getByRole('button', { name: 'Desa' }).click()
    await page.locator('html[data-zone="Europe/Madrid"]').waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await asked.count(), 0, 'it is asked once')
    t.match(await page.evaluate(`({ ...document.documentElement.dataset })`), {
      ...{ currency: 'EUR', languages: 'ca,en,es', site: 'Vic & voltants' },
    })
    // until there is a first event, all of it is changed on the page of settings as well
    await page.goto(`${origin}/desk/#/settings`)
    await page.getByLabel('Moneda', { exact: true }).fill('USD')
    await page.getByLabel('Idiomes', { exact: true }).fill('ca, es')
    await page.getByRole('button', { name: 'Desa' }).click()
    await page.locator('html[data-currency="USD"][data-languages="ca,es"]').waitFor()
    // a new event is in the language of the desk and in the zone of the site
    await page.goto(`${origin}/desk/#/events/new`)
    await page.getByRole('textbox', { name: 'Títol', exact: true }).fill('Festa major')
    await page.getByRole('button', { name: 'Publica', exact: true }).click()
    await told(page, 'visible per a tothom')
    const { events } = (await (await fetch(`${origin}${ROOT}/events`)).json()) as { events: unknown[] }
    t.match(events, [{ title: 'Festa major', timezone: 'Europe/Madrid', language: 'ca' }])
    await page.goto(`${origin}/desk/#/settings`)
    await page.getByText('almanac config set').waitFor()
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    t.same(
      faults.filter((fault) => !/ERR_|Failed to load/.test(fault)),
      [],
    )
  },
)

t.test('the form of an event tells of a zone that is not that of the browser', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'aina', 'author')
  const { page } = await openDesk(t, browser, origin, who, { timezoneId: 'America/New_York' })
  await page.goto(`${origin}/desk/#/events/new`)
  await page
    .getByText(
      'Your device is in another time zone, America/New_York. The times here are those of Europe/Madrid.',
    )
    .waitFor()
  await page.getByLabel('Time zone', { exact: true }).fill('America/Toronto')
  await page.getByText('Your device is in another time zone').waitFor({ state: 'detached' })
  await page.getByText('The time zone of the calendar is another one: Europe/Madrid.').waitFor()
  t.equal(await page.getByRole('link', { name: 'Settings', exact: true }).count(), 0)
})
