import { once } from 'node:events'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { until } from '../../support/until.ts'

const HEAD = 'external_id,title,start_date,venue'
const ROWS = ['1,Concert,2026-12-05 20:00,Hall', '2,Fair,2026-12-06 20:00,Square', '3,Talk,soon,Hall']
const csv = (...rows: string[]) => [HEAD, ...rows].join('\n')
const as = (type: string, name?: string) => ({
  headers: {
    'content-type': type,
    ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
  },
})
const form = (name: string, content: string, type = 'application/octet-stream') => ({
  payload: [
    ...['--x', 'Content-Disposition: form-data; name="note"', '', 'ours'],
    ...['--x', `Content-Disposition: form-data; name="file"; filename="${name}"`, `Content-Type: ${type}`],
    ...['', content, '--x--', ''],
  ].join('\r\n'),
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
})
const titles = async ({ editor }: Api, query = '') =>
  (await must(editor.get(`/events?when=all${query}`))).events.map(({ title }: { title: string }) => title)

t.test('a file is looked at, imported, listed and taken back', async (t) => {
  const api = await build(t)
  const { editor } = api
  const before = await api.fingerprint()
  const plan = await must(editor.post('/imports?dry_run=true', csv(...ROWS), as('text/csv')))
  t.match(plan, {
    from: 'events.csv',
    dry_run: true,
    counts: { event: { added: 2, refused: 1 } },
    first: [
      { line: 2, kind: 'event', name: 'Concert', start_date: '2026-12-05 20:00', outcome: 'added' },
      { name: 'Fair' },
      { name: 'Talk', outcome: 'refused', reason: /start_date/ },
    ],
    troubles: [{ line: 4, name: 'Talk', reason: /start_date/, remarks: [] }],
    troubles_total: 1,
  })
  t.notOk('id' in plan)
  t.equal(await api.fingerprint(), before, 'a plan writes nothing')
  t.match((await must(editor.get('/imports'))).imports, [])

  const done = await must(
    editor.post('/imports?source=box', csv(...ROWS), as('text/csv; charset=utf-8', 'a.csv')),
  )
  t.match(done, { id: 1, from: 'a.csv', dry_run: false, first: [{ id: Number }] })
  t.same(await titles(api), ['Concert', 'Fair'])
  t.match(await must(editor.get(`/events/${done.first[0].id}`)), { source: 'box', external_id: '1' })
  t.match(await must(editor.get('/imports')), {
    imports: [{ id: 1, from: 'a.csv', kind: 'file', counts: { created: 2, refused: 1 } }],
    total: 1,
  })
  t.match(await must(editor.post('/imports?source=box', csv(...ROWS), as('text/csv', 'a.csv'))), {
    counts: { event: { unchanged: 2 } },
  })

  api.clock.now += 60_000
  await must(editor.patch(`/events/${done.first[1].id}`, { title: 'Fair of the town' }))
  t.match(await must(editor.post('/imports/1/undo')), {
    id: 1,
    from: 'a.csv',
    counts: { event: { trashed: 1, stayed: 1 }, venue: { trashed: 1, stayed: 1 } },
    stayed: [
      { kind: 'event', id: done.first[1].id, name: 'Fair of the town', why: 'it was edited here since' },
      { kind: 'venue', name: 'Square', why: 'events here have it' },
    ],
  })
  t.same(await titles(api), ['Fair of the town'])
  t.match((await editor.post('/imports/9/undo')).body, { code: 'import-not-found' })
  t.match((await must(api.administrator.get('/audit?code=import_undone'))).entries, [
    { login: 'editor', origin: 'http', details: { import: '1', from: 'a.csv', undone: '2', stayed: '2' } },
  ])
})

t.test('forms, types and options of a file', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en,ca' } })
  const { editor } = api
  const take = (query: string, { payload, headers }: ReturnType<typeof form>) =>
    editor.post(`/imports${query}`, payload, { headers })
  const ics = [
    ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', 'DTSTART:20261207T180000', 'SUMMARY:Ioga'],
    ...['END:VEVENT', 'END:VCALENDAR'],
  ].join('\r\n')
  t.match(await must(take('?timezone=Europe/London&status=draft&i18n_language=ca', form('A.ICS', ics))), {
    from: 'A.ICS',
    counts: { event: { added: 1 } },
  })
  t.match(await must(editor.get('/events?when=all&status=draft')), {
    events: [{ title: 'Ioga', timezone: 'Europe/London', language: 'ca' }],
  })
  t.match(await must(take('?dry_run=1', form('a', ics, 'text/calendar'))), {
    counts: { event: { updated: 1 } },
  })
  t.match(await must(editor.post('/imports?media=true', csv(ROWS[0]!), as('text/plain', 'b.csv'))), {
    counts: { event: { added: 1 } },
  })

  const long = ['colour', ...Array(25).fill('red')].map(
    (cell, at) => `${at ? `${at},E ${at},2026-12-05,` : HEAD},${cell}`,
  )
  const plan = await must(take('?dry_run=true&timezone=', form('a.csv', long.join('\n'))))
  t.match(plan, {
    counts: { event: { added: 24, updated: 1 } },
    troubles: [{ kind: 'line', remarks: [/colour/] }],
  })
  t.equal(plan.first.length, 20)
  const site = { id: 0, url: 'https://old.example/v1', keeps_ids: false, pages: {} }
  await api.app.store.imports.begin(site)
  const [latest] = (await must(editor.get('/imports?per_page=1'))).imports
  t.match(latest, { from: 'https://old.example/v1', kind: 'site', counts: {} })
  t.notOk('ended_utc' in latest)

  const before = await api.fingerprint()
  const refusal = async (answer: ReturnType<typeof editor.post>) => {
    const { status, body } = await answer
    return [status, body.code, JSON.stringify(body.data.params ?? '')].join(' ')
  }
  t.match(await refusal(take('', form('a.txt', ics))), /^415 rest_unsupported_media_type/)
  t.match(await refusal(editor.post('/imports', csv(ROWS[0]!), as('text/plain'))), /^415/)
  t.match(await refusal(editor.post('/imports', EVENT)), /^415/)
  t.match(await refusal(editor.post('/imports')), /^400 rest_missing_callback_param \["file"\]/)
  const bare = { payload: '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nours\r\n--x--\r\n' }
  t.match(
    await refusal(take('', { ...form('', ''), ...bare })),
    /^400 rest_missing_callback_param \["file"\]/,
  )
  t.match(await refusal(take('?timezone=Mars', form('a.ics', ics))), /^400 .*timezone/)
  t.match(await refusal(take('?status=trash', form('a.ics', ics))), /^400 .*status/)
  t.equal(await api.fingerprint(), before)
  t.match((await api.author.post('/imports', csv(ROWS[0]!), as('text/csv'))).body, { code: 'rest_forbidden' })
})

t.test('a table of another program comes in as it stands, its dates as one says', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const table = [
    'Event Name,Event Start Date,Event Start Time,Event End Time,All Day Event,Event Website,Event Show Map',
    'Concert,05/06/2027,8:00 PM,1:00 AM,FALSE,choir.example,Yes',
    'Fair,06/06/2027,,,TRUE,,No',
  ].join('\n')
  const taken = await must(api.editor.post('/imports?date_order=dmy', table, as('text/csv', 'events.csv')))
  t.match(taken, { counts: { event: { added: 2, refused: 0 } }, troubles: [] })
  const { events } = await must(api.anonymous.get('/events?when=all'))
  t.match(events, [
    { title: 'Concert', start_date: '2027-06-05 20:00:00', end_date: '2027-06-06 01:00:00', all_day: false },
    { title: 'Fair', start_date: '2027-06-06 00:00:00', end_date: '2027-06-06 23:59:59', all_day: true },
  ])
  t.match(events[0], { website: 'https://choir.example', show_map: true })
  const unsure = await must(api.editor.post('/imports?dry_run=true', table, as('text/csv', 'other.csv')))
  t.match(unsure.first, [{ start_date: '2027-05-06 20:00:00' }, { start_date: '2027-06-06' }])
  t.match(unsure.troubles, [{ outcome: 'present', remarks: [/no date tells whether its day or its month/] }])
  t.equal((await api.editor.post('/imports?date_order=ymd', table, as('text/csv'))).status, 400)
})

t.test('an answer counts what is not kept here', async (t) => {
  const { editor } = await build(t)
  const event = ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:A', 'DTSTART:20270510T190000', 'PRIORITY:1', 'END:VEVENT']
  const take = (lines: string[]) =>
    must(
      editor.post('/imports', ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR'].join('\n'), as('text/calendar')),
    )
  t.same((await take(event)).left_out, { PRIORITY: 1 })
  t.notOk('left_out' in (await take(event.filter((line) => line !== 'PRIORITY:1'))))
})

t.test('events share commits; each is taken or refused by itself, in the order of the file', async (t) => {
  const { editor } = await build(t)
  const wrong = Array.from({ length: 60 }, (_, at) => at).filter((at) => at % 7 === 3)
  const rows = Array.from({ length: 60 }, (_, at) => {
    const end = wrong.includes(at) ? '2026-11-01 20:00' : '2026-12-31 20:00'
    return `${at},E${at},2026-12-05 20:00,${end},Hall ${at % 3}`
  })
  const file = ['external_id,title,start_date,end_date,venue', ...rows].join('\n')
  const report = await must(editor.post('/imports', file, as('text/csv')))
  t.match(report.counts.event, { added: 51, refused: 9 })
  t.same(
    report.troubles.map(({ line, reason }: { line: number; reason: string }) => [line, reason.slice(0, 9)]),
    wrong.map((at) => [at + 2, 'end_date ']),
  )
  t.same(
    report.first.map(({ name }: { name: string }) => name),
    Array.from({ length: 20 }, (_, at) => `E${at}`),
  )
  t.equal((await must(editor.get('/venues'))).total, 3)
})

t.test('tables of venues and organizers complete what is here, and bring the rest', async (t) => {
  const api = await build(t)
  const { editor } = api
  const take = (query: string, ...rows: string[]) =>
    must(editor.post(`/imports${query}`, rows.join('\n'), as('text/csv', 'table.csv')))
  await take('', 'title,start_date,venue,venue_city,organizer', 'Concert,2026-12-05,Hall,Vic,Choir')
  const venues = [
    'Venue Name,Venue City,Venue Address,Venue Zip',
    ...['Hall,Vic,Carrer Nou 1,08500', 'Hall,Manlleu,,', 'Park,Vic,,', ',Vic,,'],
  ]
  const before = await api.fingerprint()
  const plan = { venue: { added: 2, updated: 1, refused: 1 } }
  t.match((await take('?dry_run=true', ...venues)).counts, plan)
  t.equal(await api.fingerprint(), before)
  const done = await take('', ...venues)
  t.match(done.counts, plan)
  t.match(done.first, [
    { kind: 'line', name: 'Hall', outcome: 'updated' },
    {},
    {},
    { reason: 'Venue Name is missing.' },
  ])
  const shown = async () =>
    (await must(editor.get('/venues'))).venues
      .map(({ venue, city, address = '', zip = '' }: Record<string, string>) =>
        [venue, city, address, zip].join(),
      )
      .sort()
  const all = ['Hall,Manlleu,,', 'Hall,Vic,Carrer Nou 1,08500', 'Park,Vic,,']
  t.same(await shown(), all)
  t.match((await must(editor.get('/events?when=all'))).events, [{ venue: { address: 'Carrer Nou 1' } }])
  t.match((await take('', ...venues)).counts, { venue: { unchanged: 3, refused: 1 } })
  t.same(await shown(), all)

  const organizers = ['Organizer Name,Organizer Email', 'Choir,choir@example.org', 'Band,band@example.org']
  t.match((await take('', ...organizers)).counts, { organizer: { added: 1, updated: 1 } })
  t.match((await take('', ...organizers)).counts, { organizer: { unchanged: 2 } })
  t.match((await must(editor.post(`/imports/${done.id}/undo`))).counts, { venue: { trashed: 2, stayed: 0 } })
  t.same(await shown(), ['Hall,Vic,Carrer Nou 1,08500'])
})

t.test('what is wrong is said by the names of the file, with what stands there', async (t) => {
  const api = await build(t)
  const told = async (type: string, ...lines: string[]) =>
    (await must(api.editor.post('/imports', lines.join('\r\n'), as(type)))).troubles.map(
      ({ name, reason = '', remarks }: { name: string; reason?: string; remarks: string[] }) =>
        [name, reason, ...remarks].filter(Boolean).join(' | '),
    )
  const date = 'must be a date such as 2027-05-14 20:00.'
  const url = 'must be an absolute http, https, ftp or mailto URL with an ASCII host.'
  t.same(
    await told(
      'text/csv',
      'Event Name,Event Start Date,Event End Date,Event Website,rrule,exdate,Colour',
      ...['A,Friday,,,,,', 'B,2027-05-14,later,not an address,,,', ',,,,,,red', 'D,,2027-05-14,,,,'],
      ...['E,2027-05-14,,,FREQ=HOURLY,,', 'F,2027-05-14,,,FREQ=DAILY;COUNT=3,soon,'],
    ),
    [
      'the first | columns that are not known are left out: Colour',
      `A | Event Start Date "Friday": ${date}`,
      `B | Event End Date "later": ${date} Event Website "not an address": ${url}`,
      'D | Event Start Date is missing.',
      'E | FREQ of rrule: must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "HOURLY". Several times a day are FREQ=DAILY with BYHOUR and BYMINUTE.',
      'F | exdate[0]: must be a date such as 2027-05-14.',
    ],
  )
  const event = (uid: string, ...lines: string[]) => [
    ...['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, 'DTSTART:20270514T200000', ...lines, 'END:VEVENT'],
  ]
  t.same(
    await told(
      'text/calendar',
      'BEGIN:VCALENDAR',
      ...[...event('long'.repeat(300)), ...event('rule', 'RRULE:FREQ=DAILY;COUNT=0')],
      ...[...event('turned', 'DTEND:20270514T190000'), ...event('day', 'DTEND;VALUE=DATE:20270513')],
      ...event('turned days', 'DTEND;VALUE=DATE:20270513').map((line) =>
        line.replace('T200000', '').replace('START:', 'START;VALUE=DATE:'),
      ),
      'END:VCALENDAR',
    ),
    [
      `${'long'.repeat(300)} | SUMMARY "${'long'.repeat(10)}…": must have at most 1000 characters.`,
      'rule | COUNT of RRULE: must be a number from 1 to 100000; it is "0".',
      'turned | ends before it begins; its end is left out',
      'day | ends before it begins; its end is left out',
      'turned days | ends before it begins; its end is left out',
    ],
  )
})

const many = (count: number) =>
  csv(...Array.from({ length: count }, (_, at) => `${at},E${at},2026-12-05 20:00,`))
/** The messages of a stream of server-sent events. */
const messagesOf = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, event, data]) => ({
    event,
    data: JSON.parse(data!),
  }))
const STREAM = { 'content-type': 'text/csv', accept: 'text/event-stream' }

t.test('who asks for it is told how far an import has come', async (t) => {
  const { editor, app, credentials } = await build(t)
  const post = (payload: string, query = '') =>
    app.inject({
      method: 'POST',
      url: `/calendar/events/v1/imports${query}`,
      ...{ payload, headers: { ...STREAM, authorization: credentials.editor.authorization } },
    })
  const answer = await post(many(400))
  t.match(answer.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const messages = messagesOf(answer.body)
  t.match(messages[0], { event: 'progress', data: { done: 1, total: 400 } })
  const progress = messages.filter(({ event }) => event === 'progress').map(({ data }) => data.done)
  t.same(
    progress,
    progress.toSorted((a, b) => a - b),
  )
  const report = { id: 1, dry_run: false, counts: { event: { added: 400 } } }
  t.match(messages.at(-1), { event: 'report', data: report })
  t.equal(messages.filter(({ event }) => event !== 'progress').length, 1)
  t.match((await must(editor.get('/imports'))).imports, [
    { id: 1, ended_utc: String, counts: { created: 400 } },
  ])

  t.match(messagesOf((await post('external_id,title,start_date')).body), [
    { event: 'report', data: { counts: {} } },
  ])
  const refused = await post(many(1), '?timezone=Mars')
  t.match([refused.statusCode, refused.json()], [400, { code: 'rest_invalid_param' }])
})

/** An import of many events that has begun, over a connection of its own. */
async function beginImport(t: Test) {
  const api = await build(t, { fresh: true })
  const { app, credentials } = api
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { authorization } = credentials.editor
  const asked = request(`${url}/calendar/events/v1/imports`, {
    ...{ method: 'POST', agent: false, headers: { ...STREAM, authorization } },
  })
  asked.end(many(1_000))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.setEncoding('utf8')
  return { api, answer }
}

t.test('an import whose client leaves is broken off, and goes on when it comes again', async (t) => {
  const { api, answer } = await beginImport(t)
  const { editor } = api
  answer.destroy()
  const { counts, ended_utc } = await until(async () => {
    const [run] = (await must(editor.get('/imports'))).imports
    return run.counts.created > 0 && run
  })
  t.ok(counts.created! > 0 && counts.created! < 1_000, `${counts.created}`)
  t.notOk(ended_utc)
  const rest = (await must(editor.post('/imports', many(1_000), as('text/csv')))).counts.event
  t.match(rest, { unchanged: counts.created!, added: 1_000 - counts.created! })
})

t.test('work for a client that left before it began knows so', async (t) => {
  const { app } = await build(t)
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  raw.destroy()
  t.ok(await app.whileConnected({ raw } as FastifyReply, async ({ aborted }) => aborted))
})

t.test('an import that the service stops says so', async (t) => {
  const { api, answer } = await beginImport(t)
  const [messages] = await Promise.all([answer.toArray(), api.app.close()])
  t.match(messagesOf(messages.join('')).at(-1), {
    event: 'failure',
    data: { code: 'rest_not_ready', message: /What was taken stays/, data: { status: 503, retry_after: 10 } },
  })
})
