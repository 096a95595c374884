import t, { type Test } from 'tap'
import { refusal } from './support/answers.ts'
import { build, type Client } from './support/app.ts'
import { must } from './support/events.ts'

t.test('the two flags of a venue are texts, or booleans as answers show them', async (t) => {
  const { author } = await build(t)
  const words = { true: 'true,True,1,yes,ON', false: 'false,FALSE,0,no,off,' }
  for (const [value, texts] of Object.entries(words))
    for (const word of texts.split(',')) {
      const body = await must(author.post('/venues', { venue: 'Hall', show_map: word, show_map_link: word }))
      t.match(body, { show_map: value === 'true', show_map_link: value === 'true' }, word)
    }
  for (const value of [true, false])
    t.match(await must(author.post('/venues', { venue: 'Hall', show_map: value, show_map_link: value })), {
      show_map: value,
      show_map_link: value,
    })
  for (const value of [1, 0, 'maybe', []])
    t.equal(
      refusal(await author.post('/venues', { venue: 'Hall', show_map: value, show_map_link: value })),
      '400 rest_invalid_param show_map show_map_link',
      JSON.stringify(value),
    )
})

async function refuse(t: Test, client: Client, kind: 'venue' | 'organizer') {
  const long = 'x'.repeat(1001)
  const cases: [input: object, expected: string][] = [
    [{ [kind]: undefined, title: 'x' }, `rest_missing_callback_param ${kind}`],
    [{ [kind]: null, website: 'bad' }, `rest_missing_callback_param ${kind}`],
    [{ [kind]: '' }, `rest_invalid_param ${kind}`],
    [{ [kind]: '0' }, `rest_invalid_param ${kind}`],
    [{ [kind]: ' <b></b> ' }, `could-not-create-${kind} ${kind}`],
    [{ [kind]: 5 }, `rest_invalid_param ${kind}`],
    [{ [kind]: long }, `rest_invalid_param ${kind}`],
    [{ phone: long, website: `http://x.test/${long}${long}` }, 'rest_invalid_param phone website'],
    [{ description: 'x'.repeat(100_001) }, 'rest_invalid_param description'],
    [{ phone: 5, description: 5, image: 5 }, 'rest_invalid_param phone description image'],
    [{ website: 'x.test' }, 'rest_invalid_param website'],
    [{ website: 'javascript:alert(1)' }, 'rest_invalid_param website'],
    [{ status: 'bogus' }, 'rest_invalid_param status'],
    [{ status: '', author: '', date: '', date_utc: '' }, 'rest_invalid_param status author date date_utc'],
    [{ author: 999 }, 'rest_invalid_param author'],
    [{ date: '2026-02-30', date_utc: '24:00' }, 'rest_invalid_param date date_utc'],
    [{ image: '999' }, 'rest_invalid_param image'],
    [{ image: 'bad' }, 'rest_invalid_param image'],
    [{ i18n_language: 'fr' }, 'rest_invalid_param i18n_language'],
    [{ translation_of: 999 }, 'rest_invalid_param translation_of'],
  ]
  for (const [input, expected] of cases)
    t.equal(
      refusal(await client.post(`/${kind}s`, { [kind]: 'Name', ...input })),
      `400 ${expected}`,
      JSON.stringify(input).slice(0, 60),
    )
}

t.test('what can not be taken is refused by name, and nothing is written', async (t) => {
  const api = await build(t)
  const before = await api.fingerprint()
  for (const kind of ['venue', 'organizer'] as const) await refuse(t, api.editor, kind)
  const geo = { venue: 'Hall', geo_lat: 91, geo_lng: -180.5 }
  t.equal(refusal(await api.editor.post('/venues', geo)), '400 rest_invalid_param geo_lat geo_lng')
  t.equal(await api.fingerprint(), before)
  const { id } = await must(api.editor.post('/venues', { venue: 'Hall' }))
  t.equal(refusal(await api.editor.patch(`/venues/${id}`, { venue: null })), '400 rest_invalid_param venue')
  t.equal(refusal(await api.editor.patch(`/venues/${id}`, { author: 99 })), '400 rest_invalid_param author')
  t.equal(refusal(await api.editor.patch('/organizers/99', { author: 99 })), '400 rest_invalid_param author')
})

t.test('a number where a text belongs is answered with what to send', async (t) => {
  const { author } = await build(t)
  const { body } = await author.post('/venues', { venue: 'Hall', phone: 17001 })
  t.match(body, { data: { status: 400, params: { phone: /must be sent as a string/ } }, message: /phone/ })
})

t.test('records of one name get slugs of their own, beside those of other kinds', async (t) => {
  const { author, editor } = await build(t)
  const slug = async (url: string, body: object) => (await must(editor.post(url, body))).slug
  for (const expected of ['gran-sala', 'gran-sala-2', 'gran-sala-3'])
    t.equal(await slug('/venues', { venue: 'Gran Sala' }), expected)
  t.equal(await slug('/venues', { venue: 'GRAN SÀLA', status: 'draft' }), 'gran-sala-4')
  t.equal(await slug('/organizers', { organizer: 'Gran Sala' }), 'gran-sala')
  t.equal(await slug('/organizers', { organizer: '日本' }), '%e6%97%a5%e6%9c%ac')
  t.equal((await author.get(`/organizers/by-slug/${encodeURIComponent('日本')}`)).status, 200)
  t.equal(await slug('/organizers', { organizer: '!!!' }), 'organizer')
  t.equal(await slug('/organizers', { organizer: '???' }), 'organizer-2')
})

t.test('the date of publication is what was sent, in the zone of the site or in UTC', async (t) => {
  const { author } = await build(t, { env: { TIMEZONE: 'America/New_York' } })
  const cases: [input: object, expected: object][] = [
    [{ date: '2026-03-03 03:03:03' }, { date: '2026-03-03 03:03:03', date_utc: '2026-03-03 08:03:03' }],
    [{ date_utc: '2026-03-03T03:03' }, { date: '2026-03-02 22:03:00', date_utc: '2026-03-03 03:03:00' }],
    [{ date: '2026-07-01T00:00:00Z' }, { date: '2026-06-30 20:00:00', date_utc: '2026-07-01 00:00:00' }],
    [{ date: '2027-01-01' }, { status: 'future', date_utc: '2027-01-01 05:00:00' }],
    [{ status: 'draft' }, { status: 'draft', date_utc: '0000-00-00 00:00:00', slug: 'club' }],
  ]
  for (const [input, expected] of cases)
    for (const kind of ['venue', 'organizer']) {
      const body = await must(author.post(`/${kind}s`, { [kind]: 'Club', ...input }))
      t.match({ ...body, slug: body.slug.split('-')[0] }, expected, JSON.stringify(input))
      await must(author.delete(`/${kind}s/${body.id}?force=true`))
    }
})
