import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const add = (api: Api, title: string, day: string, more: object = {}) =>
  must(
    api.editor.post('/events', {
      ...EVENT,
      title,
      start_date: `2026-${day} 20:00:00`,
      end_date: `2026-${day} 22:00:00`,
      ...more,
    }),
  )

t.test('an embed may be in frames of any site, and no other page may', async (t) => {
  const api = await build(t)
  for (const path of [
    '/embed/',
    '/embed',
    '/ca/embed/?view=month',
    '/embed/?view=moon',
    '/embed/?month=2026-13&view=month',
  ]) {
    const { headers } = await visit(api, path)
    t.match(headers['content-security-policy'], /frame-ancestors \*/, path)
    t.notOk(headers['x-frame-options'], path)
    t.equal(headers['access-control-allow-origin'], '*', path)
    t.equal(headers['content-type'], 'text/html; charset=utf-8', path)
  }
  for (const path of ['/events/', '/events/month/2026-11/', '/embed/other/']) {
    const { headers } = await visit(api, path)
    t.match(headers['content-security-policy'], "frame-ancestors 'none'", path)
    t.equal(headers['x-frame-options'], 'DENY', path)
  }
})

t.test('a month keeps its filters, and its links say what stays in the frame', async (t) => {
  const api = await build(t)
  await add(api, 'Jazz', '11-22', { categories: ['Jazz'], tags: ['live'] })
  await add(api, 'Rock', '11-22', { categories: ['Rock'] })
  await add(api, 'Reading', '11-22', { categories: ['Books'] })
  const { status, text } = await visit(api, '/embed/?view=month&categories=jazz,rock&theme=dark')
  t.equal(status, 200)
  t.same(textsOf(text, 'h2'), ['November 2026'])
  t.same(textsOf(text, 'li'), ['8:00 PM Jazz', '8:00 PM Rock'])
  t.match(text, '<html lang="en" dir="ltr" data-theme="dark">')
  t.match(text, '<base target="_top">')
  const query = 'view=month&amp;theme=dark&amp;categories=jazz%2Crock'
  t.match(text, `href="/embed/?${query}&amp;month=2026-12" target="_self"`)
  t.match(text, '<a href="/events/month/2026-11/?category=jazz%2Crock">Open the calendar')
  t.match(text, 'href="/events/day/2026-11-22/?category=jazz%2Crock"')
  t.notMatch(text, '<form')
  const far = (await visit(api, '/ca/embed/?view=month&month=2031-01&tags=live&language=en')).text
  t.match(
    far,
    '<a href="/ca/embed/?view=month&amp;tags=live&amp;language=en&amp;month=2026-11" target="_self">',
  )
  t.match(
    far,
    '<a class="present" href="/ca/embed/?view=month&amp;tags=live&amp;language=en" target="_self">',
  )
})

t.test('a list has pages of as many events as asked for', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 5; number++) await add(api, `Event ${number}`, '11-22')
  await add(api, 'Running', '11-10', { end_date: '2026-12-24 22:00:00' })
  const first = (await visit(api, '/embed/?count=2')).text
  t.same(textsOf(first, 'h3'), ['On now', 'Running', 'Event 1', 'Event 2'])
  t.match(first, '<a class="next" rel="next" target="_self" href="/embed/?view=list&amp;count=2&amp;page=2">')
  t.notMatch(first, 'class="prev"')
  const last = (await visit(api, '/embed/?count=2&page=3')).text
  t.same(textsOf(last, 'h3'), ['Event 5'])
  t.match(last, '<a class="prev" rel="prev" target="_self" href="/embed/?view=list&amp;count=2&amp;page=2">')
  t.notMatch(last, 'class="next"')
  t.match((await visit(api, '/embed/?count=2&page=2')).text, 'href="/embed/?view=list&amp;count=2"')
  t.notMatch((await visit(api, '/embed/')).text, 'class="turn"')
  t.match((await visit(api, '/es/embed/?search=nothing')).text, 'Todavía no hay eventos')
  t.match((await visit(api, '/embed/?search=event')).text, 'href="/events/?search=event"')
})

t.test('what an embed can not show is told in it', async (t) => {
  const api = await build(t)
  for (const [path, status, words] of [
    ['/embed/?view=moon', 400, 'This address cannot be read'],
    ['/embed/?theme=pink', 400, 'This address cannot be read'],
    ['/embed/?view=month&theme=pink', 400, 'This address cannot be read'],
    ['/embed/?count=0', 400, 'This address cannot be read'],
    ['/embed/?count=31', 400, 'This address cannot be read'],
    ['/embed/?language=fr', 400, 'This address cannot be read'],
    ['/embed/?view=month&month=2026-13', 404, 'There is no such month'],
    ['/ca/embed/?categories=none', 404, 'Aquest filtre no existeix'],
    ['/embed/?page=2', 404, 'This list has no such page'],
  ] as const) {
    const answer = await visit(api, path)
    t.equal(answer.status, status, path)
    t.match(answer.text, words, path)
    t.match(answer.text, '<div class="embed"', path)
    t.notMatch(answer.text, '<header', path)
  }
})

t.test('the script has one name, and loads the rest by their hashes', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'http://calendar.test/agenda' } })
  const { status, headers, text } = await api.anonymous.get('//agenda/embed.js')
  t.same(
    [status, headers['content-type'], headers['cache-control'], headers['access-control-allow-origin']],
    [200, 'text/javascript; charset=utf-8', 'public, max-age=3600', '*'],
  )
  t.match(text, 'const FAILED = {"en":"The calendar cannot be shown right now."')
  const [, file] = /from '\.(\/assets\/month-\w+\.js)'/.exec(text)!
  t.equal((await api.anonymous.get(`//agenda${file}`)).status, 200)
  const again = { headers: { 'if-none-match': headers.etag! } }
  t.equal((await api.anonymous.get('//agenda/embed.js', undefined, again)).status, 304)
  const page = await visit(api, '/agenda/embed/?view=month')
  t.same(attributesOf(page.text, 'script', 'src').length, 1)
  t.match(page.text, 'href="/agenda/embed/?view=month&amp;month=2026-12"')
  const off = await build(t, { env: { PAGES: 'off' } })
  for (const path of ['//embed/', '//embed.js']) t.equal((await off.anonymous.get(path)).status, 404)
})

t.test(
  'the address of a frame sets its colours and fonts, which stand in a style sheet of their own',
  async (t) => {
    const api = await build(t, { env: { BASE_URL: 'http://calendar.test/town' } })
    const looks = 'theme=dark&accent=0a6b4f&ink=fff&paper=102030&font=Avenir%20Next%2C%20sans-serif'
    for (const view of ['list', 'month']) {
      const { text } = await visit(api, `/town/ca/embed/?view=${view}&${looks}`)
      t.match(text, '<meta name="color-scheme" content="dark">')
      const sheets = attributesOf(text, 'link', 'href')
      t.equal(
        sheets.at(-1),
        '/town/embed.css?accent=0a6b4f&ink=fff&paper=102030&font=Avenir+Next%2C+sans-serif',
      )
      if (view === 'month') t.match(text, '&amp;accent=0a6b4f&amp;ink=fff&amp;paper=102030&amp;font=')
      const css = await api.anonymous.get(`/${sheets.at(-1)}`)
      t.equal(css.headers['content-type'], 'text/css; charset=utf-8')
      t.match(css.text, '--soft:color-mix(in srgb,var(--ink) 80%,var(--paper));')
      t.match(css.text, '--accent:#0a6b4f;--ink:#fff;--sans:Avenir Next, sans-serif;--paper:#102030}')
    }
    const plain = (await visit(api, '/town/embed/')).text
    t.notMatch(plain, 'embed.css')
    t.match(plain, '<meta name="color-scheme" content="light dark">')
    t.equal((await api.anonymous.get('//town/embed.css')).text, ':root:root:root{}')
    const clear = (await api.anonymous.get('//town/embed.css?paper=transparent&heading_font=Georgia')).text
    t.match(clear, '--soft:color-mix(in srgb,var(--ink) 80%,transparent)')
    t.match(clear, '--serif:Georgia;background:transparent}')
    for (const wrong of [
      'accent=red',
      'ink=%23fff',
      'paper=url(x)',
      'font=a;b',
      'font=a}',
      'ink=transparent',
    ])
      for (const path of [`/town/embed/?${wrong}`, `/town/embed.css?${wrong}`])
        t.equal((await visit(api, path)).status, 400, path)
  },
)
