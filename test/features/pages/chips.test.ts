import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf, visit } from '../../support/pages.ts'

/** The present moment of the tests is the morning of Saturday, 21 November 2026. */
const add = (api: Api, title: string, more: object = {}) =>
  must(
    api.editor.post('/events', {
      ...{ ...EVENT, title, start_date: '2026-11-22 18:00:00', end_date: '2026-11-22 19:00:00' },
      ...more,
    }),
  )
const at = (venue: string, city: string) => ({ venue: { venue, city } })
const titles = (html: string) => textsOf(html, 'h3').join()
/** The links of a part of a page, by their text. */
function linksIn(html: string, part: string): Record<string, string> {
  const [, inner = ''] = new RegExp(`<(?:nav|ul) class="${part}".*?>(.*?)</(?:nav|ul)>`, 's').exec(html) ?? []
  const names = textsOf(inner, 'a').map((name) => name.replace(/^(Remove:|Treu:) | ×$/g, ''))
  return Object.fromEntries(attributesOf(inner, 'a', 'href').map((href, at) => [names[at]!, href]))
}

t.test('days, price, category and town are one address, from which each is taken off', async (t) => {
  const api = await build(t)
  await add(api, 'Right', { cost: '0', categories: ['Music'], ...at('Hall', 'Girona') })
  await add(api, 'Elsewhere', { cost: '0', categories: ['Music'], ...at('Barn', 'Vic') })
  await add(api, 'Dear', { cost: '9', categories: ['Music'], ...at('Hall', 'Girona') })
  await add(api, 'Late', {
    ...{ cost: '0', categories: ['Music'], ...at('Hall', 'Girona') },
    ...{ start_date: '2026-12-05', end_date: '2026-12-05' },
  })
  await add(api, 'Talk', { cost: '0', categories: ['Talks'], ...at('Hall', 'Girona') })
  let page = (await visit(api, '/')).text
  for (const [row, name, path] of [
    ['soon', 'This weekend', '/events/weekend/'],
    ['topics', 'Free', '/events/weekend/?free=yes'],
    ['topics', 'Music', '/events/weekend/?category=music&free=yes'],
    ['towns', 'Girona', '/events/weekend/?category=music&town=Girona&free=yes'],
  ] as const) {
    t.equal(linksIn(page, row)[name], path)
    page = (await visit(api, path)).text
  }
  t.equal(titles(page), 'Right')
  t.same(linksIn(page, 'chosen'), {
    'This weekend': '/events/?category=music&town=Girona&free=yes',
    Music: '/events/weekend/?town=Girona&free=yes',
    Girona: '/events/weekend/?category=music&free=yes',
    Free: '/events/weekend/?category=music&town=Girona',
    'Clear filters': '/events/',
  })
  t.equal(linksIn(page, 'soon').Today, '/events/today/?category=music&town=Girona&free=yes')
  t.equal(
    linksIn(page, 'topics').Music,
    '/events/weekend/?town=Girona&free=yes',
    'what is chosen is taken off',
  )
  t.equal(linksIn(page, 'towns').Vic, '/events/weekend/?category=music&town=Vic&free=yes')
  t.match(page, '<a href="/events/weekend/?town=Girona&amp;free=yes" aria-current="true">Music</a>')
  // a search from the top keeps it all
  const [, form] = /<form class="quick".*?action="([^"]+)".*?<\/form>/s.exec(page)!
  t.equal(form, '/events/weekend/')
  for (const [name, value] of Object.entries({ category: 'music', town: 'Girona', free: 'yes' }))
    t.match(page, `<input type="hidden" name="${name}" value="${value}">`)
  t.equal(titles((await visit(api, `${form}?free=yes&q=elsewhere`)).text), 'Elsewhere')
  t.match((await visit(api, '/events/weekend/?town=girona')).text, '<option value="Girona" selected>')
  t.match((await visit(api, '/events/?town=Lleida')).text, '<option value="Lleida" selected>')
  t.equal((await visit(api, `/events/?town=${'x'.repeat(201)}`)).status, 400)
})

t.test('everything that is chosen has its name, and a page of its own where it stands alone', async (t) => {
  const api = await build(t)
  await add(api, 'Right', { categories: ['Music', 'Talks'], tags: ['live'], ...at('Hall', 'Vic') })
  const chosen = async (path: string) => linksIn((await visit(api, path)).text, 'chosen')
  const query = 'category=music,talks&tag=live&venue=hall&language=all&online=yes&search=y'
  t.same(Object.keys(await chosen(`/events/?q=x&${query}&from=2026-11-22&to=2026-11-23`)), [
    ...['Sun, Nov 22 – Mon, Nov 23', '“x”', '“y”', 'Music', 'Talks', 'live', 'Hall', 'Online'],
    ...['All languages', 'Clear filters'],
  ])
  for (const [path, links] of [
    ['/events/', {}],
    ['/events/free/', { Free: '/events/' }],
    ['/events/?language=ca', { Català: '/events/' }],
    ['/events/?when=now', { 'On now': '/events/' }],
    ['/events/?free=yes&when=past', { 'Past events': '/events/free/', Free: '/events/?when=past' }],
    ['/events/?category=music,talks', { Music: '/events/?category=talks', Talks: '/events/?category=music' }],
    ['/events/weekend/?online=yes', { 'This weekend': '/events/online/', Online: '/events/weekend/' }],
    ['/events/category/music/?tag=live', { live: '/events/category/music/' }],
    ['/venue/hall/?category=music', { Music: '/venue/hall/' }],
    ['/events/month/2026-11/?town=Vic', { Vic: '/events/month/2026-11/' }],
    ['/events/day/2026-11-22/?town=Vic', { Vic: '/events/day/2026-11-22/' }],
  ] as const) {
    const { 'Clear filters': clear, ...found } = await chosen(path)
    t.same(found, links, path)
  }
  const page = (await visit(api, '/events/category/music/')).text
  t.equal(linksIn(page, 'soon').Today, '/events/today/?category=music')
  t.equal(linksIn((await visit(api, '/events/?when=past')).text, 'soon').Today, '/events/today/')
  t.match(page, '<a class="button plain" href="/events/subscribe/?categories=music">Subscribe</a>')
  t.match(
    (await visit(api, '/events/month/2026-11/?town=Vic&venue=hall')).text,
    /subscribe\/\?venue=\d+&amp;town=Vic"/,
  )
})

t.test('another language keeps what is chosen, with its own words', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/categories', { name: 'Music' }))
  const { id: talks } = await must(api.editor.post('/categories', { name: 'Talks' }))
  await must(api.editor.post('/categories', { name: 'Música', i18n_language: 'ca', translation_of: id }))
  // nobody has seen an event that has it
  const { categories } = await add(api, 'Draft', {
    ...{ status: 'draft', i18n_language: 'ca', categories: ['Xerrades'] },
  })
  await must(api.editor.patch(`/categories/${categories[0].id}`, { translation_of: talks }))
  await add(api, 'Song', { categories: ['music', 'talks'], tags: ['live'] })
  await add(api, 'Cançó', { categories: ['musica'], i18n_language: 'ca', translation_of: undefined })
  const other = async (path: string, language: string) => {
    const { text } = await visit(api, path)
    return new RegExp(`<li><a href="([^"]*)" lang="${language}" hreflang`)
      .exec(text)![1]!
      .replaceAll('&amp;', '&')
  }
  const query = '?category=music&tag=live&town=Vic&free=yes'
  const catalan = '?category=musica&tag=live&town=Vic&free=yes'
  for (const page of ['weekend/', 'month/2026-11/', 'day/2026-11-22/', ''])
    t.equal(await other(`/events/${page}${query}`, 'ca'), `/ca/events/${page}${catalan}`, page)
  t.equal(await other('/ca/events/?category=musica', 'en'), '/events/?category=music')
  t.equal(await other('/events/?category=talks', 'ca'), '/ca/events/?category=talks')
  t.equal(await other('/events/category/music/?free=yes', 'ca'), '/events/category/musica/?free=yes')
  t.equal(await other('/events/?page=1&when=past', 'es'), '/es/events/?when=past')
  t.equal(
    await other('/events/subscribe/?categories=music&free=true', 'ca'),
    '/ca/events/subscribe/?categories=musica&free=true',
  )
  const { text } = await visit(api, '/ca/events/?category=music')
  t.equal(titles(text), 'Cançó')
  t.same(linksIn(text, 'chosen'), { Música: '/ca/events/' })
  t.match(text, '<option value="musica" selected>')
  t.equal(titles((await visit(api, '/events/?category=music&language=all')).text), 'Song,Cançó')
  // the offer of the page in another language is for the script to show
  t.match(
    text,
    '<div class="offer" lang="en" dir="ltr" hidden><a href="/events/?category=music" hreflang="en">This page is also in English</a>',
  )
  t.notMatch((await visit(api, '/event/none/')).text, 'class="offer"')
})

t.test(
  'the dozen most used categories are offered at once, all of them on a page, by number and name',
  async (t) => {
    const api = await build(t)
    const { id: used } = await must(api.editor.post('/categories', { name: 'Used' }))
    await must(api.editor.post('/categories', { name: 'Part', parent: used }))
    for (let number = 1; number <= 14; number++)
      await add(api, `Number ${number}`, {
        categories: [`Topic ${number}`, ...(number > 11 ? ['Part'] : [])],
      })
    await add(api, 'One more', { categories: ['Used', 'Topic 14'], tags: ['10th', '9th'] })
    const { text } = await visit(api, '/events/?free=yes')
    const topics = Object.keys(linksIn(text, 'topics'))
    t.same(
      topics.slice(0, 4),
      ['Free', 'Used', 'Topic 14', 'Topic 1'],
      'with what is below it it is the most used',
    )
    t.same([topics.length, topics.at(-1)], [14, 'All categories'])
    const all = linksIn(text, 'topics')['All categories']!
    t.equal(all, '/events/categories/?free=yes')
    const page = (await visit(api, all)).text
    const links = linksIn(page, 'index')
    t.same(Object.keys(links).slice(0, 2), ['Topic 1', 'Topic 2'])
    t.same(Object.keys(links).slice(-3), ['Topic 14', 'Used', 'Part'])
    t.match(
      page,
      '<li class="depth-1"><a href="/events/?category=part&amp;free=yes">Part</a> <span>3</span></li>',
    )
    t.match(page, 'noindex')
    t.same(linksIn(page, 'chosen'), { Free: '/events/' })
    const weekend = (await visit(api, '/events/categories/?days=weekend')).text
    t.equal(linksIn(weekend, 'index').Part, '/events/weekend/?category=part')
    t.match(weekend, 'noindex')
    t.notMatch((await visit(api, '/events/categories/?days=never')).text, 'noindex')
    const tags = /<select id="filter-tag".*?<\/select>/s.exec(text)![0]
    t.same(textsOf(tags, 'option'), ['All', '9th', '10th'])
  },
)

t.test('towns are those with public events, each once, with a field where they are many', async (t) => {
  const api = await build(t)
  await add(api, 'One', at('Hall', 'Girona'))
  await add(api, 'Two', at('Barn', 'Vic'))
  await add(api, 'Three', at('Barn', 'Vic'))
  await add(api, 'Four', at('Mill', 'VIC'))
  await add(api, 'Secret', { ...at('Cellar', 'Salt'), password: 'sesame' })
  await add(api, 'Draft', { ...at('Attic', 'Olot'), status: 'draft' })
  await must(api.editor.post('/venues', { venue: 'Empty', city: 'Roses' }))
  const { venue } = await add(api, 'Five', at('Sala', 'Lleida'))
  await must(
    api.editor.post('/venues', {
      venue: 'Sala',
      city: 'Lérida',
      i18n_language: 'es',
      translation_of: venue.id,
    }),
  )
  const towns = async (path: string) => Object.keys(linksIn((await visit(api, path)).text, 'towns')).slice(1)
  t.same(await towns('/events/'), ['Vic', 'Girona', 'Lleida'])
  t.same(await towns('/es/events/'), ['Vic', 'Girona', 'Lérida'])
  t.notMatch((await visit(api, '/events/')).text, '<input id="filter-town"')
  for (let number = 1; number <= 100; number++)
    await add(api, `More ${number}`, at(`Hall ${number}`, `Town ${number}`))
  const { text } = await visit(api, '/events/?town=vic')
  t.match(
    text,
    '<input id="filter-town" name="town" list="towns" maxlength="200" placeholder="All" value="Vic">',
  )
  t.match((await visit(api, '/events/')).text, 'placeholder="All" value="">')
})

t.test('an empty calendar tells visitors how they hear of events, and editors where to begin', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const { text } = await visit(api, '/')
  t.match(text, '<a class="button" href="/events/subscribe/">Subscribe</a>')
  t.match(text, '<a class="button plain" href="/events/submit/">Propose an event</a>')
  t.match(text, '<a href="/desk/#/events/new">Create an event</a>')
  t.notMatch(text, /class="(filters|rows)"/)
  const bare = (await visit(await build(t, { env: { DESK: 'off' } }), '/')).text
  t.notMatch(bare, 'Propose an event')
  t.notMatch(bare, '/desk/')
})

t.test('one subscribes to what one chooses', async (t) => {
  const api = await build(t)
  for (let number = 1; number <= 13; number++)
    await add(api, `Number ${number}`, {
      categories: [`Topic ${number}`],
      ...at(`Hall ${number}`, `Town ${number}`),
    })
  const page = async (query = '') => (await visit(api, `/events/subscribe/${query}`)).text
  const first = await page()
  t.match(first, '<a href="/events/subscribe/" aria-current="true">Everything</a>')
  t.equal(linksIn(first, 'topics')['Topic 2'], '/events/subscribe/?categories=topic-2')
  t.equal(linksIn(first, 'topics').Free, '/events/subscribe/?free=true')
  t.equal(linksIn(first, 'topics')['All categories'], '/events/categories/')
  const text = await page('?categories=topic-2,topic-13&town=town+9&free=true')
  t.equal(
    textsOf(text, 'p').find((one) => one.includes('·')),
    'Topic 2 · Topic 13 · town 9 · Free',
  )
  const topics = linksIn(text, 'topics')
  t.equal(topics['Topic 2'], '/events/subscribe/?categories=topic-13&town=town+9&free=true')
  t.equal(topics['Topic 13'], '/events/subscribe/?categories=topic-2&town=town+9&free=true')
  t.equal(
    topics['Topic 1'],
    '/events/subscribe/?categories=topic-2%2Ctopic-13%2Ctopic-1&town=town+9&free=true',
  )
  t.equal(topics.Free, '/events/subscribe/?categories=topic-2%2Ctopic-13&town=town+9')
  t.equal(linksIn(text, 'towns')['Town 9'], '/events/subscribe/?categories=topic-2%2Ctopic-13&free=true')
  const [address] = attributesOf(text, 'button', 'data-copy')
  t.equal(textsOf(text, 'code')[0], address)
  const { body } = await api.anonymous.get(
    `/${new URL(address!.replace('.ics', '')).pathname}?categories=topic-9&town=TOWN+9`,
  )
  t.equal(body.total, 1)
  t.equal((await visit(api, `/events/subscribe/?town=${'x'.repeat(201)}`)).status, 400)
})
