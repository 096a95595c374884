import t from 'tap'
import { must, pick, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'
import { storePicture } from '../../support/writes.ts'

const long = (length: number) => 'x'.repeat(length)

t.test('values that can not be taken are refused by name, on create and on update', async (t) => {
  const { editor, fingerprint } = await openRecords(t)
  const { id } = await must(editor.create('event', EVENT))
  const texts = [
    'title',
    'description',
    'excerpt',
    'slug',
    'status',
    'timezone',
    'image',
    'website',
    'password',
  ]
  const dates = ['start_date', 'end_date', 'date', 'date_utc']
  const flags = [
    'all_day',
    'show_map',
    'show_map_link',
    'hide_from_listings',
    'sticky',
    'featured',
    'ticketed',
  ]
  const each = (names: string[], ...values: unknown[]) =>
    names.flatMap((name) => values.map((value): [object, string] => [{ [name]: value }, name]))
  const cases: [sent: object, names: string][] = [
    ...each([...texts, ...dates], 5, true, ['x'], { x: 1 }),
    ...each(dates, '', 'soon', '2027-02-30', '2027-01-10 24:00:00', '202701100000000'),
    ...each(flags, '', 'yes', 'on', 2, [], {}),
    ...each(['author', 'translation_of'], '', 0, -1, 1.5, 'me', 999, {}),
    ...each(['post_parent'], '', -1, 1.5, 'x', 999),
    ...each(['title'], '', '0'),
    ...each(['slug'], '', '!!!'),
    ...each(['status'], '', 'published', 'any', 'inherit', 'PUBLISH'),
    ...each(['timezone'], 'Mars/Olympus', 'UTC+15', 'UTCfoo', '+14:30', 'UTC-12:30'),
    ...each(['website'], 'example.com', '//x.example', 'javascript:alert(1)', 'https://müller.example', 5, [
      'x',
    ]),
    ...each(['cost'], true, { amount: 5 }, [['5']], [{}]),
    ...each(
      ['categories', 'tags'],
      true,
      [{ name: 'x' }],
      { id: 'x' },
      [null],
      [1.5],
      [-1],
      [[1]],
      [long(201)],
    ),
    ...each(['i18n_language'], 'fr', 'EN', '', 5),
    ...each(['title'], long(1001)),
    ...each(['description', 'excerpt'], long(100_001), '0'),
    ...each(['password'], long(256)),
    ...each(['categories', 'tags'], Array(101).fill('x')),
    ...each(['venue', 'organizer'], Array(21).fill(1)),
    [{ featured: 'x', start_date: 'x', author: 'x', slug: '!' }, 'start_date featured author slug'],
    [
      { author: 999, image: '999', post_parent: 999, venue: 999, organizer: [999] },
      'author image post_parent venue organizer',
    ],
  ]
  const before = fingerprint()
  for (const [sent, names] of cases) {
    const label = JSON.stringify(sent).slice(0, 60)
    for (const answer of [
      await editor.create('event', { ...EVENT, ...sent }),
      await editor.change('event', id, sent),
    ]) {
      t.strictSame([answer.status, answer.body.code], [400, 'rest_invalid_param'], label)
      t.strictSame(Object.keys(answer.body.data.params).sort(), names.split(' ').sort(), label)
    }
  }
  t.equal(fingerprint(), before)
})

t.test('a blank title has a code of its own, and a number where text belongs gets a hint', async (t) => {
  const { editor } = await openRecords(t)
  for (const title of ['  ', '<b></b>', '\n'])
    t.match(await editor.create('event', { ...EVENT, title }), {
      status: 400,
      body: { code: 'empty_content' },
    })
  const { body } = await editor.create('event', { ...EVENT, start_date: 1_812_200_400 })
  t.match(body.data.params.start_date, 'must be a string, in quotes')
})

t.test('values come back as they are meant', async (t) => {
  const { editor, ids } = await openRecords(t)
  const cases: [sent: object, shown: object][] = [
    [{ title: 'A &lt;3 B &quot;x&quot;' }, { title: 'A <3 B "x"' }],
    [{ title: 'Tab\there \\ "quotes" – dash…' }, { title: 'Tab here \\ "quotes" – dash…' }],
    [{ title: long(1000) }, { title: long(1000) }],
    [{ description: 'one\ntwo' }, { description: '<p>one<br />\ntwo</p>' }],
    [{ excerpt: '<p onclick="x">in</p><iframe src="//x"></iframe>' }, { excerpt: '<p>in</p>' }],
    [{ cost: 5 }, { cost: '$5' }],
    [{ cost: 0 }, { cost: 'Free' }],
    [{ cost: '10 - 20' }, { cost: '$10 – $20' }],
    [{ cost: ['£1,250.50', '£30'] }, { cost: '£30 – £1,250.50' }],
    [{ cost: 'Donation' }, { cost: 'Donation' }],
    [{ cost: '' }, { cost: '' }],
    [{ website: ' https://x.example/?a=1&b=2#c ' }, { website: 'https://x.example/?a=1&b=2#c' }],
    [{ website: 'mailto:me@x.example' }, { website: 'mailto:me@x.example' }],
    [{ author: String(ids.author) }, { author: String(ids.author) }],
    [{ post_parent: '1' }, { post_parent: 1 }],
    [
      { featured: 'True', sticky: '0' },
      { featured: true, sticky: false },
    ],
    [
      { show_map: 1, show_map_link: 0 },
      { show_map: true, show_map_link: false },
    ],
    [
      { hide_from_listings: 'TRUE', ticketed: true },
      { hide_from_listings: true, ticketed: true },
    ],
  ]
  for (const [sent, shown] of cases) {
    const { status, body } = await editor.create('event', { ...EVENT, ...sent })
    t.strictSame([status, pick(body, shown)], [200, shown], JSON.stringify(sent).slice(0, 60))
  }
})

t.test('null and "" clear what may be empty', async (t) => {
  const { editor } = await openRecords(t)
  const full = {
    ...{ description: 'x', excerpt: 'x', cost: 5, website: 'https://x.example', timezone: 'Asia/Tokyo' },
    ...{ categories: ['x'], tags: ['x'], venue: { venue: 'x' }, organizer: { organizer: 'x' } },
  }
  const empty: Record<string, unknown> = {
    ...{ description: '', excerpt: '', cost: '', website: '', timezone: 'UTC' },
    ...{ categories: [], tags: [], venue: [], organizer: [] },
  }
  for (const nothing of ['', null]) {
    for (const name of Object.keys(full)) {
      const { id, ...before } = await must(editor.create('event', { ...EVENT, ...full }))
      const { body } = await editor.change('event', id, { [name]: nothing })
      t.strictSame(body[name], empty[name], `${name}: ${JSON.stringify(nothing)}`)
      t.notSame(before[name], empty[name])
    }
    const blank = Object.fromEntries(Object.keys(full).map((name) => [name, nothing]))
    const { status, body } = await editor.create('event', { ...EVENT, ...blank })
    t.strictSame([status, pick(body, empty)], [200, empty], 'on create as well')
  }
  const flags = {
    featured: true,
    sticky: true,
    show_map: true,
    show_map_link: true,
    ticketed: true,
    all_day: true,
  }
  const { id } = await must(editor.create('event', { ...EVENT, ...flags, post_parent: 1 }))
  const nulls = Object.fromEntries([...Object.keys(flags), 'post_parent'].map((name) => [name, null]))
  const off = Object.fromEntries(Object.keys(flags).map((name) => [name, false]))
  const none = { ...off, post_parent: 0 }
  const cleared = await must(editor.change('event', id, nulls))
  t.strictSame(pick(cleared, none), none)
  const stay = ['start_date', 'end_date', 'date', 'author', 'status', 'slug', 'i18n_language']
  const kept = await must(editor.change('event', id, Object.fromEntries(stay.map((name) => [name, null]))))
  t.strictSame(kept, cleared, 'null for what can not be empty keeps it')
  const { body } = await editor.change('event', id, { title: null })
  t.strictSame([body.code, Object.keys(body.data.params)], ['rest_invalid_param', ['title']])
})

t.test('fields that are not known are ignored, and named', async (t) => {
  const { editor } = await openRecords(t)
  const sent = { ...EVENT, venue_id: 4, id: 99, utc_start_date: 'x', 'naïve name': 1 }
  const { status, ignored, body } = await editor.create('event', sent)
  t.strictSame([status, ignored], [200, ['venue_id', 'naïve name']])
  t.not(body.id, 99)
  const updated = await editor.change('event', body.id, { ID: 1, title: 'New' })
  t.match(updated, { status: 200, body: { title: 'New' }, ignored: ['ID'] })
  t.strictSame((await editor.change('event', body.id, { title: 'New' })).ignored, [])
})

t.test('an image is the ID of an uploaded one', async (t) => {
  const { contributor, editor, store, callers } = await openRecords(t)
  const image = await storePicture(store, callers.editor)
  t.equal((await contributor.create('event', { ...EVENT, image })).status, 400, 'one that they do not see')
  await must(editor.create('event', { ...EVENT, image }))
  const { id } = await must(contributor.create('event', { ...EVENT, image: String(image) }))
  t.equal((await contributor.read('event', id)).body.image.id, image)
  const cases: [given: unknown, status: number][] = [
    ['999', 400],
    ['picture.png', 400],
    ['ftp://host.example/a.png', 400],
    [true, 400],
  ]
  for (const [given, status] of cases) {
    const { status: got, body } = await contributor.change('event', id, { image: given })
    t.strictSame(
      [got, body.code, Object.keys(body.data.params)],
      [status, 'rest_invalid_param', ['image']],
      String(given),
    )
  }
  for (const nothing of ['', null, false]) {
    await must(contributor.change('event', id, { image: String(image) }))
    t.equal((await contributor.change('event', id, { image: nothing })).body.image, false)
  }
})

t.test('null for all_day is its default, on create and on update', async (t) => {
  const { editor } = await openRecords(t)
  const { id } = await must(editor.create('event', { ...EVENT, all_day: true }))
  t.match(await must(editor.change('event', id, { all_day: null })), { all_day: false })
  t.match(await must(editor.create('event', { ...EVENT, all_day: null })), { all_day: false })
})

t.test('numbers out of every range are refused with the range', async (t) => {
  const { anonymous } = await openRecords(t)
  const cases: [query: string, name: string, hint: string][] = [
    ['geoloc_lat=1e999&geoloc_lng=1', 'geoloc_lat', 'must be a number from -90 to 90.'],
    ['geoloc_lat=1&geoloc_lng=-1e999', 'geoloc_lng', 'must be a number from -180 to 180.'],
    ['geoloc_radius=0', 'geoloc_radius', 'must be a number above 0 to 20100.'],
    ['geoloc_radius=1e999', 'geoloc_radius', 'must be a number above 0 to 20100.'],
    ['per_page=1e999', 'per_page', 'must be a whole number from 1 to 9007199254740991.'],
    ['page=1.5', 'page', 'must be a whole number from 1 to 9007199254740991.'],
  ]
  for (const [query, name, hint] of cases) {
    const answer = await anonymous.list('event', `${query}`)
    t.equal(refusal(answer), `400 rest_invalid_param ${name}`, query)
    t.equal(answer.body.data.params[name], hint)
  }
})
