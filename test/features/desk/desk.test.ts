import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { readConfig, valuesOf } from '../../../src/config.ts'
import { openDesk, tokensOf } from '../../../src/features/desk/index.ts'
import { build } from '../../support/app.ts'
import { MAIL } from '../../support/people.ts'

const SITE = { languages: ['en', 'ca'], zone: 'Europe/Madrid', currency: 'EUR' }
/** The files of the page, as it names them. */
const filesOf = (page: string) => [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)

t.test('the desk is a page that loads its own files and nothing else', async (t) => {
  const { anonymous } = await build(t)
  for (const url of ['//desk/', '//desk']) {
    const { status, headers, text } = await anonymous.get(url)
    t.equal(status, 200)
    t.match(headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, no-cache',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
    t.equal(
      headers['content-security-policy'],
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self' blob:;connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';font-src 'self';frame-src 'self';require-trusted-types-for 'script';trusted-types desk ProseMirrorClipboard",
    )
    t.match(headers['permissions-policy'], /camera=\(\), .*publickey-credentials-get=\(self\)/)
    t.notMatch(text, /<script(?! type="module" src=)|<style|style=|\son\w+=/)
    const again = await anonymous.get(url, undefined, { headers: { 'if-none-match': headers.etag! } })
    t.equal(again.status, 304)
    const files = filesOf(text)
    t.equal(files.length, 3)
    for (const path of files) {
      const file = await anonymous.get(`/${path}`)
      t.equal(file.status, 200, path)
      t.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
    }
  }
  t.equal((await anonymous.get('//desk/assets/desk-0.js')).status, 404)
})

t.test('the operator has it below a path, in a colour, or not at all', async (t) => {
  const below = await build(t, {
    env: {
      BASE_URL: 'https://city.example/agenda',
      SITE_COLOR: '#00558b',
      SITE_NAME: 'Vic & around',
      PAGES: 'off',
    },
  })
  const { text } = await below.anonymous.get('//agenda/desk/')
  t.match(text, 'data-api="/agenda/calendar/events/v1" data-site="Vic &amp; around" data-home=""')
  const [, style] = filesOf(text)
  t.match(style, /^\/agenda\/desk\/assets\/desk-\w+\.css$/)
  t.match((await below.anonymous.get(`/${style}`)).text, '--site-accent:#00558b')
  const without = await build(t, { env: { DESK: 'off' } })
  t.equal((await without.anonymous.get('//desk/')).status, 404)
  for (const DESK of ['on', 'off']) t.equal(valuesOf(readConfig({ DESK })).DESK, DESK)
  for (const STALE_READS of ['on', 'off'])
    t.equal(valuesOf(readConfig({ STALE_READS })).STALE_READS, STALE_READS)
})

t.test('a checkout that was never built has no desk', async (t) => {
  const settings = readConfig({ DATABASE: ':memory:' })
  const folder = `${t.testdir()}/desk/`
  const branding = () => ({ name: 'Almanac', color: '', logo: undefined, links: [], asks: false })
  t.equal(openDesk(settings, SITE, branding, undefined, pathToFileURL(folder)), undefined)
  mkdirSync(folder)
  for (const name of ['desk.js', 'desk.css']) writeFileSync(folder + name, '')
  const desk = openDesk(settings, SITE, branding, undefined, pathToFileURL(folder))!
  const names = filesOf(String(desk.page().bytes)).map((path) => path.split('/').at(-1)!)
  t.equal(names.filter((name) => desk.file(name)).length, 3)
})

t.test('it knows what the calendar is a mirror of, and whether writes are passed on', async (t) => {
  const MIRROR = 'https://old.example/"x'
  const credentials = join(t.testdir({ secret: 'token' }), 'secret')
  const page = async (env: Record<string, string>) =>
    (await (await build(t, { env: { MIRROR, ...env } })).anonymous.get('//desk/')).text
  const refusing = await page({})
  t.match(refusing, ' data-mirror="https://old.example/&quot;x"')
  t.notMatch(refusing, 'data-forwards')
  t.notMatch(refusing, 'data-mails')
  const forwarding = await page({ ...MAIL, MIRROR_CREDENTIALS: credentials, MIRROR_WRITES: 'forward' })
  t.match(forwarding, ' data-mails="yes"')
  t.match(forwarding, ' data-mirror="https://old.example/&quot;x" data-forwards="yes"')
})

t.test('it knows with which provider people sign in, and whether with that alone', async (t) => {
  const env = { OPENID_ISSUER: 'https://id.example:8443/town', OPENID_CLIENT_ID: 'calendar' }
  const page = async (more: Record<string, string>) =>
    (await (await build(t, { env: { ...env, ...more } })).anonymous.get('//desk/')).text
  const own = await page({})
  t.match(own, ' data-openid="id.example:8443">')
  t.notMatch(own, 'data-local')
  t.match(
    await page({ OPENID_NAME: 'Town "hall"', LOCAL_SIGN_IN: 'off' }),
    ' data-openid="Town &quot;hall&quot;" data-local="off">',
  )
  t.notMatch((await (await build(t)).anonymous.get('//desk/')).text, 'data-openid')
})

t.test('it knows whether visitors may propose events, and get events by mail', async (t) => {
  const page = async (env: Record<string, string>) =>
    (await (await build(t, { env })).anonymous.get('//desk/')).text
  t.notMatch(await page({}), 'data-submits')
  t.match(await page({ SUBMISSIONS: 'on' }), ' data-submits="yes"')
  t.notMatch(await page({}), 'data-digests')
  const mailed = { DIGEST: 'on', SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'calendar@site.example' }
  t.match(await page(mailed), ' data-digests="yes"')
})

t.test('its colours are those of the pages', async (t) => {
  t.equal(
    tokensOf(':root{--a:1}p{color:red}@media print{:root{--a:2}p{top:0}}a{}'),
    ':root{--a:1}\n@media print{:root{--a:2}p{top:0}}',
  )
})
