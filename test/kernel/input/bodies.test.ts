import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import t from 'tap'
import { must, pick, refusal } from '../../support/answers.ts'
import { type Answer, build, EVENT, ROOT } from '../../support/app.ts'
import { multipart } from '../../support/pictures.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_ = 'application/json'
const MIB = 2 ** 20
const typed = (type?: string) => ({ headers: type === undefined ? {} : { 'content-type': type } })
/** The least of an event as a form. */
const LEAST = 'title=Concert&start_date=2026-12-01&end_date=2026-12-02'

/** What a write gave, of the members that are expected; or why it was refused. */
const got = (answer: Answer, expected: object | string) =>
  answer.status < 300 && typeof expected === 'object' ? pick(answer.body, expected) : refusal(answer)

t.test('JSON is taken under every name of its type, in UTF-8', async (t) => {
  const { editor } = await build(t)
  const text = '\ufeff {"venue":"Sala Ànima 🎷"} \n'.slice(1)
  for (const type of [
    JSON_,
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/vnd.api+json',
    'application/merge-patch+json; x=y',
  ]) {
    const answer = await editor.post('/venues', text, typed(type))
    t.match(answer, { status: 201, body: { venue: 'Sala Ànima 🎷' } }, type)
    t.match(answer.text, '"venue":"Sala Ànima 🎷"', 'and comes back without escapes')
    t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  }
})

t.test('an empty body is none; what is no JSON object is refused', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const none = '400 rest_missing_callback_param venue'
  const bad = '400 rest_invalid_json'
  const other = '415 rest_unsupported_media_type'
  const cases: [type: string | undefined, body: string | undefined, created: string, updated: string][] = [
    [undefined, undefined, none, '200'],
    [JSON_, undefined, none, '200'],
    [JSON_, '', none, '200'],
    [JSON_, ' \n', none, '200'],
    [FORM, '', none, '200'],
    [JSON_, '{}', none, '200'],
    [JSON_, 'null', none, bad],
    [JSON_, '[]', none, bad],
    [JSON_, '[{"venue":"Hall"}]', none, bad],
    [JSON_, '"text"', none, bad],
    [JSON_, '7', none, bad],
    [JSON_, '{', bad, bad],
    [JSON_, "{'venue':'Hall'}", bad, bad],
    [JSON_, 'venue=Hall', bad, bad],
    [JSON_, '{"venue":NaN}', bad, bad],
    ['text/plain', '{"venue":"Hall"}', other, other],
    [undefined, '{"venue":"Hall"}', other, other],
    ['nonsense', 'x', other, other],
    ['multipart/form-data', 'x', '400 rest_bad_request', '400 rest_bad_request'],
    ['multipart/form-data; boundary=b', '', none, '200'],
    ['multipart/form-data; boundary=b', 'no form', '400 rest_bad_request', '400 rest_bad_request'],
  ]
  for (const [type, body, created, updated] of cases) {
    // a text without a type would be given one by the client
    const payload = body === undefined ? undefined : Buffer.from(body)
    const what = `${type}: ${body}`
    const before = await api.fingerprint()
    t.equal(refusal(await api.editor.post('/venues', payload, typed(type))), created, what)
    t.equal(await api.fingerprint(), before, 'changes nothing')
    const answer = await api.editor.patch(`/venues/${id}`, payload, typed(type))
    t.equal(answer.status === 200 ? '200' : refusal(answer), updated, `${what}, an update`)
    if (answer.status === 200) t.match(answer.body, { venue: 'Hall' })
  }
  const said = async (body: string, query = '') =>
    (await api.editor.post(`/venues${query}`, Buffer.from(body), typed(JSON_))).body.message
  t.equal(await said('[]'), 'Missing parameter: venue. Send a JSON object.')
  for (const body of ['[]', 'null'])
    t.match(await said(body, '?venue=Hall'), 'The body must be a JSON object, such as ')
})

t.test('null is no body of an update, of any kind', async (t) => {
  const { editor } = await build(t)
  const nested = {
    venue: { venue: 'Hall' },
    organizer: { organizer: 'Club' },
    categories: 'Jazz',
    tags: 'live',
  }
  const { venue, organizer, categories, tags, id } = await must(
    editor.post('/events', { ...EVENT, ...nested }),
  )
  for (const path of [
    `/events/${id}`,
    `/venues/${venue.id}`,
    `/organizers/${organizer[0].id}`,
    `/categories/${categories[0].id}`,
    `/tags/${tags[0].id}`,
  ])
    for (const method of ['patch', 'put', 'post'] as const)
      t.equal(
        refusal(await editor[method](path, 'null', typed(JSON_))),
        '400 rest_invalid_json',
        `${method} ${path}`,
      )
})

t.test('a body and an address that are both wrong are told at once, whatever record is meant', async (t) => {
  const { editor } = await build(t)
  for (const [plural, good, bad] of [
    ['events', EVENT, 'start_date'],
    ['venues', { venue: 'Hall' }, 'website'],
    ['organizers', { organizer: 'Club' }, 'website'],
    ['categories', { name: 'Jazz' }, 'slug'],
    ['tags', { name: 'late' }, 'slug'],
  ] as const) {
    const { id } = await must(editor.post(`/${plural}`, good))
    const name = { ...good, i18n_language: 'ca', translation_of: id, slug: 'catalan' }
    const translation = await must(editor.post(`/${plural}`, name))
    for (const method of ['patch', 'put', 'post'] as const) {
      const ask = (query: string) => editor[method](`/${plural}/${id}?${query}`, { [bad]: { odd: true } })
      const what = `${method} /${plural}`
      t.equal(refusal(await ask('i18n_language=ca')), `400 rest_invalid_param ${bad}`, what)
      t.equal(refusal(await ask('i18n_language[]=ca')), `400 rest_invalid_param ${bad} i18n_language`, what)
      t.equal(refusal(await ask('i18n_language=xx')), `400 rest_invalid_param ${bad} i18n_language`, what)
    }
    // a parent or translation that does not exist is found in the record of the same language
    const wrong = { [bad]: { odd: true }, translation_of: 999_999 }
    const both = await editor.patch(`/${plural}/${id}?i18n_language=ca`, wrong)
    t.equal(refusal(both), `400 rest_invalid_param ${bad} translation_of`)
    t.match(await editor.get(`/${plural}/${translation.id}`), { status: 200, body: { language: 'ca' } })
  }
  const create = await editor.post('/venues?i18n_language=xx', { venue: 'Hall', website: 7 })
  t.equal(refusal(create), '400 rest_invalid_param i18n_language website')
})

t.test('a DELETE takes any body and looks at none', async (t) => {
  const { editor } = await build(t)
  for (const [type, body] of [
    [JSON_, undefined],
    [JSON_, ''],
    [JSON_, '{"force":true}'],
    [FORM, 'force=1'],
    ['text/plain', 'x'],
  ]) {
    const { id } = await must(editor.post('/venues', { venue: 'Hall' }))
    t.match(await editor.patch(`/venues/${id}`, Readable.from([]), typed('text/plain')), { status: 200 })
    t.match(await editor.delete(`/venues/${id}`, body, typed(type)), {
      status: 200,
      body: { status: 'trash' },
    })
  }
})

t.test('a form says what JSON says', async (t) => {
  const { editor } = await build(t)
  await must(editor.post('/categories', { name: 'Arts' }))
  const bad = (name: string) => `400 rest_invalid_param ${name}`
  const names = (answer: Answer) => answer.body.categories.map(({ name }: { name: string }) => name)
  const cases: [form: string, expected: object | string][] = [
    ['title=A%20%26+B&cost=5', { title: 'A & B', cost: '$5' }],
    ['all_day=1&featured=TRUE&sticky=0', { all_day: true, featured: true, sticky: false }],
    ['cost=5&cost=10', { cost: '$5 – $10' }],
    ['cost[]=5&cost[]=10', { cost: '$5 – $10' }],
    ['title=First&title=Last', { title: 'Last' }],
    ['excerpt[]=First', bad('excerpt')],
    ['excerpt[a]=First', bad('excerpt')],
    ['featured=1&featured=0', { featured: false }],
    ['start_date=1812200400&end_date=2027-06-06', { start_date: '2027-06-05 13:00:00' }],
    ['website=', { website: '' }],
    ['status=', bad('status')],
    ['__proto__[title]=x&constructor[prototype][title]=y&toString=z', { title: 'Concert' }],
    [`${'x'.repeat(50)}[a][b][c][d]=1`, { title: 'Concert' }],
    ['venue[venue]=Hall&venue[city]=Vic&venue[show_map]=0', {}],
    ['venue[id]=99', bad('venue')],
    ['organizer=99', bad('organizer')],
    ['categories=', { categories: [] }],
    ['categories[]=', { categories: [] }],
  ]
  for (const [form, expected] of cases) {
    const answer = await editor.post('/events', `${LEAST}&${form}`, typed(FORM))
    t.strictSame(got(answer, expected), expected, form)
  }
  for (const form of [
    'categories=Arts,arts',
    'categories[]=Arts&categories[]=1',
    'categories=1&categories=arts',
    'categories[0]=arts',
  ])
    t.same(names(await editor.post('/events', `${LEAST}&${form}`, typed(FORM))), ['Arts'], form)
})

t.test('forms write links in brackets', async (t) => {
  const { editor } = await build(t)
  const { id: a } = await must(editor.post('/organizers', { organizer: 'A' }))
  const { id: hall } = await must(editor.post('/venues', { venue: 'Hall' }))
  const send = (form: string) => must(editor.post('/events', `${LEAST}&${form}`, typed(FORM)))
  const organizers = (event: { organizer: { organizer: string }[] }) =>
    event.organizer.map(({ organizer }) => organizer).join(' ')
  const cases: [form: string, expected: string][] = [
    [`organizer=${a}`, 'A'],
    [`organizer[]=${a}`, 'A'],
    [`organizer[id]=${a}`, 'A'],
    [`organizer[0]=${a}&organizer[1][organizer]=B&organizer[1][email]=b@b.example`, 'A B'],
    [`organizer[][organizer]=C&organizer[]=${a}`, 'C A'],
    ['organizer[organizer]=D', 'D'],
    [`organizer=${a}&organizer=${a}`, 'A'],
    ['organizer=', ''],
    ['organizer[]=', ''],
    ['organizer=0', ''],
  ]
  for (const [form, expected] of cases) t.equal(organizers(await send(form)), expected, form)
  t.match(await send(`venue[id]=${hall}`), { venue: { id: hall } })
  t.match(await send(`venue[0]=${hall}&venue[1][venue]=Park`), { venue: [{ id: hall }, { venue: 'Park' }] })
  t.match(
    await send('venue[venue]=Garden&venue[city]=Rome&venue[show_map]=0&venue[geo_lat]=1.5&venue[geo_lng]=2'),
    {
      venue: { venue: 'Garden', city: 'Rome', show_map: false, geo_lat: 1.5 },
    },
  )
})

t.test('a multipart form without files is a form', async (t) => {
  const { editor } = await build(t)
  const least: [string, string][] = Object.entries(EVENT)
  const send = async (
    members: [string, string | Blob][],
    method: 'post' | 'patch' = 'post',
    path = '/events',
  ) => {
    const { payload, headers } = await multipart(members)
    return editor[method](path, payload, { headers })
  }
  const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: JSON_ })
  const { status, body } = await send([
    ...least,
    ['title', 'Last'],
    ['cost', '5'],
    ['cost', '7'],
    ['venue[venue]', 'Hall'],
  ])
  t.match(
    { status, body },
    { status: 201, body: { title: 'Last', cost: '$5 – $7', venue: { venue: 'Hall' } } },
  )
  t.match(await send([['title', 'Übung & Probe']], 'patch', `/events/${body.id}`), {
    body: { title: 'Übung & Probe' },
  })
  t.match(await send([], 'patch', `/events/${body.id}`), { status: 200, body: { title: 'Übung & Probe' } })

  const raw = (type: string, text: string) =>
    editor.patch(
      `/events/${body.id}`,
      `--b\r\nContent-Disposition: form-data; name="organizer"\r\nContent-Type: ${type}\r\n\r\n${text}\r\n--b--\r\n`,
      typed('multipart/form-data; boundary=b'),
    )
  t.match(
    (await raw(JSON_, '[{"organizer":"Choir"}]')).body.organizer,
    [{ organizer: 'Choir' }],
    'a part may be JSON',
  )
  t.equal(refusal(await raw(JSON_, '[{')), '400 rest_invalid_json')
  t.equal(refusal(await send([['file', json({})]])), '415 rest_unsupported_media_type')
  t.equal(refusal(await send([['__proto__', 'x']])), '400 rest_bad_request')
  const large = '413 rest_payload_too_large'
  t.equal(refusal(await send([['title', 'x'.repeat(MIB + 1)]])), large)
  t.equal(refusal(await send(Array(3).fill(['description', 'x'.repeat(MIB / 2)]))), large)
  t.equal(refusal(await send(Array(201).fill(['title', 'x']))), large)
  t.equal(
    refusal(await raw(JSON_, `${'['.repeat(250_000)}${']'.repeat(250_000)}`)),
    '400 rest_invalid_param organizer',
  )
})

t.test(
  'a form is read as far as its limit, whatever it consists of, with or without Content-Length',
  async (t) => {
    const { app, credentials } = await build(t)
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const part = '--b\r\ncontent-disposition: form-data; name="'
    const beginnings = {
      preamble: 'x',
      'names of a header': '--b\r\n',
      header: part,
      'small field': `${part}title"\r\n\r\n`,
      'many parts': `${part}title"\r\n\r\nx\r\n--b--\r\n`,
      file: `${part}file"; filename="a.png"\r\n\r\n`,
    }
    /** What is answered to a form that has sent so many bytes and goes on; its connection is closed. */
    const answerTo = async (path: string, beginning: string, size: number, length?: number) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(
        [
          `POST ${ROOT}/${path} HTTP/1.1`,
          'Host: calendar.test',
          `Authorization: ${credentials.editor.authorization}`,
          'Content-Type: multipart/form-data; boundary=b',
          length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
          ...['', ''],
        ].join('\r\n'),
      )
      const body = beginning + 'y'.repeat(size - beginning.length)
      if (length === undefined) socket.write(`${body.length.toString(16)}\r\n${body}\r\n`)
      let text = ''
      for await (const chunk of socket) text += chunk
      return [/^HTTP\/1.1 (\d+)/.exec(text)?.[1], /"code":"([^"]*)"/.exec(text)?.[1]]
    }
    const refused = ['413', 'rest_payload_too_large']
    const upload = 10 * MIB + 2 ** 14
    for (const [name, beginning] of Object.entries(beginnings)) {
      if (name !== 'file') t.strictSame(await answerTo('events', beginning, MIB + 1), refused, name)
      t.strictSame(await answerTo('media', beginning, upload + 1), refused, name)
    }
    t.strictSame(await answerTo('events', '', 0, MIB + 1), refused)
    t.strictSame(await answerTo('media', '', 0, upload + 1), refused)
    t.strictSame(await answerTo('events', beginnings.file, 1000), ['415', 'rest_unsupported_media_type'])
  },
)

t.test('a body may have a mebibyte', async (t) => {
  const { editor } = await build(t)
  const filled = (size: number) => `{"tag":"${'x'.repeat(size - 10)}"}`
  for (const type of [JSON_, FORM, 'text/plain']) {
    t.equal(
      refusal(await editor.post('/tags', filled(MIB), typed(type))),
      type === 'text/plain' ? '415 rest_unsupported_media_type' : '400 rest_missing_callback_param name',
    )
    t.equal(
      refusal(await editor.post('/tags', filled(MIB + 1), typed(type))),
      '413 rest_payload_too_large',
      type,
    )
  }
})

t.test('what the body lacks is taken from the query', async (t) => {
  const { editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const cases: [query: string, body: object | undefined, expected: object | string][] = [
    ['title=Query', undefined, { title: 'Query' }],
    ['title=Query', {}, { title: 'Query' }],
    ['title=Query', { title: 'Body' }, { title: 'Body' }],
    ['title=Query', { title: null }, '400 rest_invalid_param title'],
    ['title=One&title=Two', undefined, { title: 'Two' }],
    ['title[]=One', undefined, '400 rest_invalid_param title'],
    ['cost=5&cost=9', undefined, { cost: '$5 – $9' }],
    ['cost=5', { cost: 7 }, { cost: '$7' }],
    ['featured=1', { cost: 8 }, { featured: true, cost: '$8' }],
    ['id=99&slug=other', undefined, { id }],
    ['status=nonsense', undefined, '400 rest_invalid_param status'],
    ['website=', { website: 'http://a.test/' }, { website: 'http://a.test/' }],
    ['website=', undefined, { website: '' }],
    ['i18n_language=xx', undefined, '400 rest_invalid_param i18n_language'],
  ]
  for (const [query, body, expected] of cases) {
    const answer = await editor.patch(`/events/${id}?${query}`, body)
    t.strictSame(got(answer, expected), expected, `${query} ${JSON.stringify(body)}`)
  }
  t.match(await editor.post(`/tags?name=Live&slug=on`, {}), {
    status: 201,
    body: { name: 'Live', slug: 'on' },
  })
  t.match(await editor.post('/tags?name=Query', 'name=Form', typed(FORM)), {
    status: 201,
    body: { name: 'Form' },
  })
})

t.test('members that are not taken are named in a header, as many as it can hold', async (t) => {
  const { editor } = await build(t)
  const ignored = async (body: object, query = '') =>
    (await editor.post(`/venues${query}`, { venue: 'Hall', ...body })).headers['x-ignored-fields']
  t.equal(await ignored({}), undefined)
  t.equal(await ignored({ venue_id: 5, Größe: null, 'a b,c': [] }), 'venue_id, Gr%C3%B6%C3%9Fe, a%20b,c')
  t.equal(await ignored({ '\ud800': 1, 'x\r\ny': 1 }), '%EF%BF%BD, x%0D%0Ay')
  t.equal(await ignored({ colour: 1 }, '?size=2'), 'size, colour')
  const many = await ignored(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`name${at}`, 1])))
  t.match(many, /^name0, .*, name\d+, \.\.\.$/)
  t.ok(many!.length < 4100)
  t.equal(await ignored({ ['x'.repeat(5000)]: 1 }), '...')
})
