import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { draw } from '../../support/pictures.ts'

const LINKS = [
  { text: 'Town hall', url: 'https://town.example/' },
  { text: 'Library & archive', url: 'https://library.example/a?b=1&c=2' },
]
const DEFAULTS = {
  ...{
    name: 'Almanac',
    color: '',
    links: [],
    timezone: 'UTC',
    languages: ['en', 'ca', 'es'],
    currency: 'USD',
  },
  ...{ confirmed: false, locked: [], held: false },
}

t.test('what administrators choose shows at once, on pages, in feeds and in the desk', async (t) => {
  const { administrator, editor, anonymous } = await build(t)
  t.same(await must(administrator.get('/settings')), DEFAULTS)
  const page = async () => (await anonymous.get('//events/')).text
  for (let at = 0; at < 3; at++) t.match(await page(), '<title>What’s on · Almanac</title>')
  const first = (await anonymous.get('//events/')).headers
  const bytes = await draw(80, 40, 'png')
  const { id: logo, url } = await must(
    editor.post('/media', bytes, { headers: { 'content-type': 'image/png' } }),
  )
  const set = { name: 'Vic <b>& around</b>', color: '#00558b', logo, links: LINKS }
  const { body, headers, status } = await administrator.patch('/settings', set)
  const shown = { ...DEFAULTS, name: 'Vic & around', color: '#00558b', logo, logo_url: url, links: LINKS }
  t.same([status, body], [200, shown])
  const read = await administrator.get('/settings')
  t.same([read.body, read.headers.etag], [shown, headers.etag])

  const changed = await anonymous.get('//events/')
  t.not(changed.headers.etag, first.etag)
  t.match(changed.text, '<title>What’s on · Vic &amp; around</title>')
  t.match(changed.text, `<img src="${new URL(url).pathname}" alt="Vic &amp; around">`)
  t.match(
    changed.text,
    '<nav aria-label="Links"><ul class="links"><li><a href="https://town.example/">Town hall</a></li><li><a href="https://library.example/a?b=1&amp;c=2">Library &amp; archive</a></li></ul></nav>',
  )
  const style = /href="(\/assets\/calendar-[^"]+)"/.exec(changed.text)![1]!
  t.match((await anonymous.get(`/${style}`)).text, '--site-accent:#00558b')
  t.match((await anonymous.get('/events.rss')).text, 'Vic &amp; around')
  const desk = await anonymous.get('//desk/')
  t.match(desk.text, 'data-site="Vic &amp; around"')
  const own = /href="(\/desk\/assets\/desk-[^"]+css)"/.exec(desk.text)![1]!
  t.match((await anonymous.get(`/${own}`)).text, '--site-accent:#00558b')

  await must(editor.delete(`/media/${logo}`))
  t.same((await must(administrator.get('/settings'))).logo, undefined)
  t.notMatch(await page(), '<img src="/media/')
  const back = await must(
    administrator.patch('/settings', { name: null, color: '', logo: null, links: [], colour: 1 }),
  )
  t.same(back, DEFAULTS)
  t.match(await page(), '<title>What’s on · Almanac</title>')
  const { entries } = await must(administrator.get('/audit?code=settings_changed&order=asc&per_page=50'))
  t.match(entries.at(-2), {
    login: 'administrator',
    details: { name: ' → Vic & around', color: ' → #00558b', logo: ` → ${logo}` },
  })
  t.equal(entries.length, 3, 'with the first start')
})

t.test('what the environment sets is locked, and the rest is not', async (t) => {
  const { administrator, anonymous } = await build(t, {
    env: { SITE_NAME: 'Vic', SITE_COLOR: '#b5341c', TIMEZONE: 'Europe/Madrid' },
  })
  const { body, headers } = await administrator.get('/settings')
  t.match(body, { name: 'Vic', color: '#b5341c', timezone: 'Europe/Madrid' })
  t.same(body.locked, ['name', 'color', 'timezone'])
  const { status, body: refused } = await administrator.patch('/settings', {
    ...{ name: 'Olot', color: '#000', timezone: 'UTC', currency: 'XYZ', logo: 99 },
    ...{ languages: 'ca,?', links: [{ text: 'a', url: 'ftp://town.example' }] },
  })
  t.equal(status, 400)
  t.same(Object.keys(refused.data.params).sort(), ['languages', 'links'])
  const { data } = (
    await administrator.patch('/settings', {
      ...{ name: 'Olot', color: 'red', timezone: 'UTC', currency: 'XYZ', logo: 99 },
    })
  ).body
  t.same(data.params, {
    name: 'is set by the variable SITE_NAME of the environment; change it there.',
    color: 'is set by the variable SITE_COLOR of the environment; change it there.',
    timezone: 'is set by the variable TIMEZONE of the environment; change it there.',
    currency: 'must be an ISO 4217 code such as EUR.',
    logo: 'There is no picture 99; upload it with POST /media.',
  })
  t.equal((await administrator.patch('/settings', { color: '#ggg', links: {} })).status, 400)
  t.equal((await administrator.patch('/settings', { links: ['x'] })).status, 400)
  const sent = await administrator.patch('/settings', { ...body, links: LINKS })
  t.same(
    [sent.status, sent.body, sent.headers['x-ignored-fields']],
    [200, { ...body, links: LINKS }, undefined],
  )
  t.match((await anonymous.get('//events/')).text, 'library.example')

  const match = { headers: { 'if-match': headers.etag! } }
  const late = await administrator.patch('/settings', { links: [] }, match)
  t.same(
    [late.status, late.body.code, late.headers.etag],
    [412, 'rest_precondition_failed', sent.headers.etag],
  )
  const now = { headers: { 'if-match': sent.headers.etag! } }
  t.same((await must(administrator.patch('/settings', { links: [] }, now))).links, [])
  t.same((await must(administrator.patch('/settings', {}))).links, [])
})

t.test('links of the environment are shown as addresses and can not be changed', async (t) => {
  const { administrator, anonymous } = await build(t, { env: { SITE_LINKS: 'Legal notice /legal/' } })
  const { links, locked } = await must(administrator.get('/settings'))
  t.same(links, [{ text: 'Legal notice', url: 'http://calendar.test/legal/' }])
  t.same(locked, ['links'])
  t.match((await administrator.patch('/settings', { links: LINKS })).body, {
    data: { params: { links: /SITE_LINKS/ } },
  })
  t.match((await anonymous.get('//events/')).text, 'href="/legal/"')
})

t.test(
  'time zone, currency and languages are set while there are no records, for the next start',
  async (t) => {
    const DATABASE = join(t.testdir(), 'a.db')
    const env = { DATABASE, BASE_URL: 'http://calendar.test', MEDIA_DIR: `${DATABASE}.media` }
    const api = await build(t, { env })
    const { administrator, editor, anonymous } = api
    t.match((await anonymous.get('//desk/')).text, 'data-asks="yes"')
    let heard = 0
    api.app.store.settings.onStored(() => heard++)
    t.match(await must(administrator.patch('/settings', { confirmed: true })), {
      ...DEFAULTS,
      confirmed: true,
    })
    t.notMatch((await anonymous.get('//desk/')).text, 'data-asks')
    t.equal(heard, 0)
    const set = { timezone: 'europe/madrid', currency: 'eur', languages: ['ca', 'es', 'ca'] }
    const kept = { timezone: 'Europe/Madrid', currency: 'EUR', languages: ['ca', 'es'], confirmed: true }
    t.match(await must(administrator.patch('/settings', set)), kept)
    t.equal(heard, 1)
    t.match(await must(administrator.patch('/settings', set)), kept)
    t.equal(heard, 1, 'what is set again changes nothing')

    await must(editor.post('/events', EVENT))
    const { status, body } = await administrator.patch('/settings', { timezone: 'UTC', currency: 'EUR' })
    t.same(
      [status, body.data.params],
      [
        400,
        {
          timezone:
            'can not be changed here any more, because there are records: stop the service and run `almanac config set TIMEZONE=...`.',
        },
      ],
    )
    t.match(await must(administrator.get('/settings')), { ...kept, held: true })
    await api.app.close()
    const again = await buildApp({ config: readConfig(env) })
    t.teardown(async () => {
      await again.close()
      rmSync(env.MEDIA_DIR, { recursive: true, force: true })
    })
    t.match(again.store.site, { zone: 'Europe/Madrid', currency: 'EUR', languages: ['ca', 'es'] })
    t.match(
      (await again.inject({ url: '/desk/' })).payload,
      'data-languages="ca,es" data-zone="Europe/Madrid"',
    )
  },
)
