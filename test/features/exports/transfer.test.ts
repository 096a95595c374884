import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { terms } from '../../../drizzle/tables.ts'
import { openMediaFolder } from '../../../src/calendar/media/folder.ts'
import { exportLines } from '../../../src/features/exports/export.ts'
import type { Entry } from '../../../src/features/imports/files/items.ts'
import { importLines, openPictureFolder } from '../../../src/features/imports/files/jsonl.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { draw, upload } from '../../support/pictures.ts'
import { type Kind, openRecords, type Records } from '../../support/store.ts'

// biome-ignore lint/suspicious/noExplicitAny: lines are what the tests change
type Line = any

/** The lines of a calendar's export. Its pictures stay in their folder. */
async function linesOf({ store }: Records): Promise<Line[]> {
  const lines: Line[] = []
  const write = (text: string) => lines.push(JSON.parse(text))
  const { missing } = await exportLines(store, { write, picture: async (name) => name !== 'x' })
  t.same(missing, [])
  return lines
}

type How = { dry?: boolean; users?: boolean; from?: string; to?: string; lose?: boolean }

/** Imports lines as the administrator; gives what was told, a line each, and how many lines had which outcome. */
async function take(t: Test, { store, ids }: Records, lines: (Line | string)[], how: How = {}) {
  const {
    dry = false,
    users = true,
    from = join(t.testdirName, 'media'),
    to = join(t.testdirName, 'media-2'),
  } = how
  const caller = { id: ids.administrator ?? 0, role: 'administrator' as const }
  const heard: Entry[] = []
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  const { told, counts, troubles } = await importLines(store, texts, {
    ...{ caller, by: { caller, origin: 'command', address: 'here' }, dry, users },
    files: openPictureFolder(from, store.media, openMediaFolder(to)),
    onEntry: (entry) => heard.push(entry),
  })
  t.equal(troubles, told.length)
  const outcomes: Record<string, number> = {}
  for (const { outcome } of heard) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  return {
    told: told.map(
      ({ kind, name, reason, remarks }) =>
        `${kind} ${name}: ${[reason, ...remarks].filter(Boolean).join('; ')}`,
    ),
    outcomes,
    counts,
  }
}

const CALENDAR = { kind: 'calendar', form: 1, timezone: 'UTC', languages: ['en'], currency: 'EUR' }
const POST = {
  ...{ status: 'publish', title: 'A', slug: 'a', author_id: 1, language: 'en', translation_group: null },
  ...{ date: '2026-11-21 09:00:00', date_utc: '2026-11-21 09:00:00' },
  ...{ modified: '2026-11-21 09:00:00', modified_utc: '2026-11-21 09:00:00' },
}
const TIMES = {
  ...{ start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00', timezone: 'UTC', cost: [] },
  ...{ utc_start_date: '2026-12-01 20:00:00', utc_end_date: '2026-12-01 22:00:00' },
}
const event = (id: number, more: object = {}) => ({
  kind: 'event',
  id,
  ...POST,
  ...TIMES,
  slug: `e${id}`,
  ...more,
})
const ends = (lines: number) => ({ kind: 'end', lines })

t.test('what joins a calendar that has records gets other IDs; what it has stays', async (t) => {
  const from = await openRecords(t, { env: { TIMEZONE: 'Europe/Madrid' } })
  const { editor } = from
  const image = await upload(from, join(t.testdirName, 'media'), await draw(40, 30))
  const post = (kind: Kind, sent: object) => must(editor.create(kind, sent))
  const { id: venue } = await post('venue', { venue: 'Hall', image })
  const { id: arts } = await post('category', { name: 'Arts' })
  await post('category', { name: 'Arts', slug: 'art', i18n_language: 'ca', translation_of: arts })
  const first = await post('event', { ...EVENT, venue, categories: [arts], title: 'Own' })
  await post('event', { ...EVENT, title: 'Propi', i18n_language: 'ca', translation_of: first.id })
  await must(editor.change('event', first.id, { title: 'Own one' }))
  const weekly = await post('event', {
    ...EVENT,
    title: 'Weekly',
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
  })
  await post('event', { ...EVENT, title: 'Draft', status: 'draft' })
  const { id: gone } = await post('event', { ...EVENT, title: 'Gone' })
  await must(editor.remove('event', gone))
  const lines = await linesOf(from)

  const to = await openRecords(t, { env: { TIMEZONE: 'America/New_York' } })
  const mine = await must(to.editor.create('venue', { venue: 'Hall', address: 'Here' }))
  await must(to.editor.create('category', { name: 'Theatre' }))
  const before = to.fingerprint()
  const plan = await take(t, to, lines, { dry: true })
  t.equal(to.fingerprint(), before, 'a plan writes nothing')
  const done = await take(t, to, lines)
  t.same(plan, done)
  t.same(done.told, [])
  t.same([done.counts.venue!.present, done.counts.user!.present, done.counts.event!.added], [1, 5, 7])
  const [own] = (await must(to.anonymous.list('event', 'search=own&when=all'))).events
  t.not(own.id, first.id)
  t.same([own.venue.id, own.venue.address], [mine.id, 'Here'])
  t.same(
    [own.start_date, own.date, own.date_utc],
    ['2026-12-01 20:00:00', '2026-11-21 04:00:00', '2026-11-21 09:00:00'],
  )
  t.same((await to.store.revisions.list(own.id, { page: 1, per_page: 9 })).total, 1)
  t.same(
    Object.keys(own.translations ?? {}),
    Object.keys((await must(from.anonymous.read('event', first.id))).translations ?? {}),
  )
  const series = (await must(to.anonymous.list('series'))).series[0]
  t.not(series.id, weekly.series)
  t.equal((await must(to.anonymous.list('event', `series=${series.id}&when=all`))).total, 3)
  t.equal((await must(to.anonymous.list('venue'))).venues[0].image, undefined, 'what was here is as it was')
  t.equal(to.store.db.rows('select 1 from media').length, 1)
  const again = await take(t, to, lines)
  t.same(Object.keys(again.outcomes), ['present'])
  const renamed = lines.map((line) => (line.series_id ? { ...line, slug: `${line.slug}-x` } : line))
  t.same(Object.keys((await take(t, to, renamed)).outcomes), ['present'], 'dates of a series that is here')
})

t.test('lines that can not be taken are named with their reason, and the others are taken', async (t) => {
  const calendar = await openRecords(t)
  const lines: (Line | string)[] = [
    CALENDAR,
    { kind: 'user', id: 1, login: 'subscriber', role: 'subscriber', created_utc: '' },
    { kind: 'user', id: 2, login: 'zed', role: 'author', created_utc: '' },
    { kind: 'category', id: 5, name: 'Lost', slug: 'lost', language: 'en', parent_id: 4 },
    { kind: 'category', id: 6, name: 'No', slug: '', language: 'en' },
    { kind: 'category', id: 7, name: 'Non', slug: 'non', language: 'fr' },
    { kind: 'media', id: 1, author_id: 9, file: '../../etc/passwd', extension: 'constructor' },
    event(20, { venue: [1], categories: [5], image_id: 3, parent_id: 4, author_id: 9 }),
    event(20, { slug: 'other' }),
    event(21, { timezone: 'Mars', title: 5, status: 'late', featured: 'yes', cost: [1] }),
    event(22, { language: 'fr' }),
    event(23, { series_id: 3, recurrence_id: '2026-12-01 20:00:00', overrides: [] }),
    event(24, {
      start_date: '2026-02-30 20:00:00',
      website: 'javascript:alert(1)',
      parent_id: -1,
      virtual_url: 'https://a b',
    }),
    event(25, { description: '<script>x</script><b>Yes</b>', translation_group: 3 }),
    event(26, { translation_group: 3, slug: 'UP per' }),
    event(27, { translation_group: 3 }),
    event(32, { source: 'erp', external_id: '7', versions: { '': [2, '20261101T000000Z'] } }),
    event(33, { source: 'erp', versions: { '': [2] } }),
    { kind: 'organizer', id: 34, ...POST, slug: 'o', title: 'Org', source: 'erp', external_id: '7' },
    event(28, { title: null, language: undefined }),
    { ...event(29), kind: 'series', rrule: 'FREQ=NEVER', rdate: [], exdate: [], until: '' },
    {
      ...event(30, { slug: 's' }),
      kind: 'series',
      rrule: 'FREQ=DAILY;COUNT=1',
      rdate: [],
      exdate: [],
      until: '2026-12-01 20:00:00',
      next_utc: '2026-12-02 20:00:00',
    },
    event(31, { parent_id: 30, series_id: 30, recurrence_id: '2026-12-01 20:00:00', overrides: [] }),
    {
      ...event(36, { slug: 't' }),
      kind: 'series',
      rrule: 'FREQ=DAILY',
      rdate: [],
      exdate: [],
      until: '',
      next_utc: '2026-12-02 20:00:00',
    },
    {
      ...event(37, { slug: 'u__trashed', status: 'trash' }),
      kind: 'series',
      rrule: 'FREQ=DAILY',
      rdate: [],
      exdate: [],
      until: '2026-12-01 20:00:00',
      next_utc: '2026-12-02 20:00:00',
    },
    { kind: 'revision', id: 1, of: 99, at_utc: '2026-11-21 09:00:00', fields: {} },
    { kind: 'revision', id: 2, of: 20, by: 77, at_utc: '2026-11-21 09:00:00', fields: { title: ['B', 'A'] } },
    { kind: 'revision', id: 3, of: 20, by: null, at_utc: '2026-11-21 09:00:00', fields: {} },
    event(35, { date: '2026-11-20 09:00:00', categories: 5 }),
    'no JSON',
    '[]',
    '',
    { kind: 'ghost', id: 1 },
  ]
  const plan = await take(t, calendar, lines, { dry: true })
  const { told, outcomes, counts } = await take(t, calendar, lines)
  t.same([plan.told, plan.counts], [told, counts])
  t.same(told, [
    'user zed: has another ID than 2, which is that of another user here',
    'category Lost: has no parent: there is no category 4',
    'category No: slug is empty',
    'category Non: language fr is not one of LANGUAGES; add it there first',
    'media ../../etc/passwd: file must be the path of a picture, such as 2026/11/poster.jpg; mime_type is missing; extension must be that of a picture; width is missing; height is missing; filesize is missing; sizes is missing; date_utc is missing',
    'event A: has not all of its venue: some are not in the file; has another author: there is no user 9; has no image: 3 is not in the file; has no parent: 4 is not in the file',
    'event A: the ID 20 is that of another record',
    'event 5: status must be one of publish, future, draft, pending, private, trash; title must be a string; timezone must be a time zone such as Europe/Madrid; cost must be a list of texts; featured must be a boolean',
    'event A: language fr is not one of LANGUAGES; add it there first',
    'event A: there is no series 3',
    'event A: parent_id must be a whole number; start_date must be a time such as 2026-12-05 19:30:00; website must be a URL; virtual_url must be an http or https URL',
    'event A: slug must consist of small letters, digits and hyphens',
    'event A: is not linked to its translations: they have one in en already',
    'event A: external_id is missing; versions must be an object of versions, each a SEQUENCE and a DTSTAMP',
    'event 28: title is missing; language is missing',
    'series A: rrule.FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "NEVER".',
    'revision of 99: there is no record 99',
    'line no JSON: is no record of an export',
    'line []: is no record of an export',
    'line {"kind":"ghost","id":1}: is no record of an export',
    'line the end: is missing: the file has lost lines',
  ])
  t.same(outcomes, { present: 1, added: 14, refused: 17 })
  const shown = await must(calendar.anonymous.read('event', 20))
  t.same(
    [shown.author, shown.venue, shown.image, shown.post_parent],
    [String(calendar.ids.administrator), [], false, 0],
  )
  t.equal((await must(calendar.anonymous.read('event', 25))).description, '<p><b>Yes</b></p>')
  t.equal((await must(calendar.anonymous.read('event', 31))).series, 30)
  t.equal((await must(calendar.anonymous.read('event', 32))).external_id, '7')
  const twin = event(38, { source: 'erp', external_id: '7', author_id: 1 })
  t.same((await take(t, calendar, [CALENDAR, lines[1], twin, ends(2)])).told, [
    'event A: has no source and external_id: another event has these',
  ])
  await calendar.store.db.write(async (tx) => tx.update(terms).set({ parent_id: 99 }))
  const named = (await linesOf(calendar)).filter(({ source }) => source === 'erp')
  t.same(
    named.map(({ kind, id, external_id, versions }) => [kind, id, external_id, versions]),
    [
      ['organizer', 34, '7', {}],
      ['event', 32, '7', { '': [2, '20261101T000000Z'] }],
    ],
  )
})

t.test('pictures come with their files, and only what is one', async (t) => {
  const from = await openRecords(t)
  for (const format of ['png', 'jpeg', 'gif', 'webp'] as const)
    await upload(from, join(t.testdirName, 'media'), await draw(20, 20, format))
  const lines = await linesOf(from)
  const pictures = lines.filter(({ kind }) => kind === 'media')
  const at = (name: string, folder = 'media') => join(t.testdirName, folder, name)
  writeFileSync(at(pictures[0].file), '<html>')
  rmSync(at(pictures[1].file))
  const there = at(pictures[2].file, 'media-2')
  mkdirSync(dirname(there), { recursive: true })
  writeFileSync(there, readFileSync(at(pictures[2].file)))
  const to = await openRecords(t)
  const plan = await take(t, to, lines, { dry: true })
  t.match(plan.told, [/^media .*: its files are missing, or are no pictures$/])
  const { told, counts } = await take(t, to, lines)
  t.match(told, [/: its files are missing/, /: its files are missing/])
  t.same([counts.media!.added, counts.media!.refused], [2, 2])
  const twice = { ...pictures[3], id: 50, file: pictures[3].file.replace('.', '-2.') }
  writeFileSync(at(twice.file), readFileSync(at(pictures[3].file)))
  const again = await take(t, to, [
    CALENDAR,
    twice,
    { ...twice, file: twice.file.replace('-2.', '-3.') },
    ends(2),
  ])
  t.match(again.told, [/-3.webp: the ID 50 is that of another record$/])
  const kept = [{ ...pictures[3], id: 51, file: twice.file.replace('-2.', '-4.') }]
  writeFileSync(at(kept[0].file), readFileSync(at(pictures[3].file)))
  const [claimed] = [await to.store.media.files.claim([kept[0].file])]
  t.match((await take(t, to, [CALENDAR, ...kept, ends(1)])).told, [/its files are missing/])
  await to.store.media.files.forget(claimed!)

  const { media } = to.store
  const one = kept[0].file
  const two = one.replace('-4.', '-5.')
  writeFileSync(at(two), readFileSync(at(one)))
  mkdirSync(dirname(at(two, 'media-3')), { recursive: true })
  writeFileSync(at(two, 'media-3'), '')
  const onto = (folder: string) =>
    openPictureFolder(join(t.testdirName, 'media'), media, openMediaFolder(join(t.testdirName, folder)))
  t.equal(await onto('media-3').bring([one, two]), undefined, 'a file of that name is in the way')
  writeFileSync(join(t.testdirName, 'media-4'), '')
  await t.rejects(onto('media-4').bring([one]), { code: 'ENOTDIR' })
  t.same(await media.files.giveUp(), [], 'no note about files stays')
})

t.test(
  'without users the first one that comes owns what nobody owns; without any nothing is taken',
  async (t) => {
    const calendar = await openRecords(t, { users: false })
    const user = {
      kind: 'user',
      id: 3,
      login: 'ada',
      role: 'administrator',
      created_utc: '2026-01-01 00:00:00',
    }
    const picture = {
      kind: 'media',
      id: 1,
      author_id: 9,
      file: '2026/11/a-1.png',
      mime_type: 'image/png',
      extension: 'png',
      width: 1,
      height: 1,
      filesize: 1,
      sizes: {},
      date_utc: '2026-11-21 09:00:00',
    }
    const folder = join(t.testdirName, 'out')
    mkdirSync(join(folder, '2026/11'), { recursive: true })
    writeFileSync(join(folder, picture.file), await draw(1, 1))
    const how = { from: folder, to: join(t.testdirName, 'media') }
    const none = await take(t, calendar, [CALENDAR, picture, event(20), ends(2)], how)
    t.same(
      none.told,
      [
        'media 2026/11/a-1.png: nobody would own it: add a user first',
        'event A: has another author: there is no user 1; nobody would own it: add a user first',
      ].map((text) => text.replace('has another author: there is no user 1; ', '')),
    )
    const { told } = await take(t, calendar, [CALENDAR, user, picture, event(20), ends(3)], how)
    t.same(told, ['event A: has another author: there is no user 1'])
    t.equal((await must(calendar.anonymous.read('event', 20))).author, '3')
    const { outcomes } = await take(t, calendar, [CALENDAR, { ...user, login: 'bob' }, ends(1)], {
      ...how,
      users: false,
    })
    t.same(outcomes, { present: 1 })
    const clash = await take(t, calendar, [CALENDAR, { ...user, login: 'eve' }, ends(1)], how)
    t.same([clash.told, clash.outcomes], [[], { added: 1 }])
  },
)

t.test('what is no export is refused as a whole', async (t) => {
  const calendar = await openRecords(t)
  for (const [lines, why] of [
    [[], /is empty/],
    [['BEGIN:VCALENDAR'], /is no export of Almanac/],
    [[{ kind: 'calendar', form: 2 }], /later version of Almanac/],
    [[{ ...CALENDAR, timezone: 'Mars' }], /is damaged/],
  ] as const)
    await t.rejects(take(t, calendar, [...lines]), { message: why })
  const settings = {
    name: 5,
    color: 'red',
    logo: 8,
    links: [{ text: 'X', url: 'javascript:x' }],
    confirmed: 1,
  }
  await take(t, calendar, [{ ...CALENDAR, site_id: 'x', settings, counts: { event: 1 } }, ends(0)])
  t.same(calendar.store.settings.chosen(), {}, 'nor are settings that are none')
})
