import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ROLES, type Role } from '../../../src/kernel/access/rights.ts'
import { almanac } from '../../support/almanac.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, type Client, EVENT } from '../../support/app.ts'
import { draw } from '../../support/pictures.ts'

const ZONE = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', LANGUAGES: 'en,ca,es' }

/** A calendar that has something of everything. */
async function fill({ administrator, editor, author }: Api) {
  const { id: picture } = await must(
    author.post('/media', await draw(400, 300), { headers: { 'content-type': 'image/png' } }),
  )
  const { id: logo } = await must(
    editor.post('/media', await draw(80, 40, 'jpeg'), { headers: { 'content-type': 'image/jpeg' } }),
  )
  await must(
    author.patch(`/media/${picture}`, {
      alt_texts: { en: 'A choir', ca: 'Un cor' },
      captions: { en: '<em>2025</em>' },
      focal_point: { x: 0.25, y: 0.75 },
    }),
  )
  await must(
    administrator.patch('/settings', {
      ...{ name: 'Vic & around', logo, color: '#00558b', confirmed: true },
      links: [{ text: 'Town hall', url: 'https://town.example/' }],
    }),
  )
  const post = async (path: string, body: object, by: Client = editor) => must(by.post(path, body))
  const { id: music } = await post('/categories', { name: 'Music', description: 'Heard' })
  const { id: arts } = await post('/categories', { name: 'Arts' })
  await must(editor.patch(`/categories/${music}`, { parent: arts }))
  await post('/categories', { name: 'Música', i18n_language: 'ca', translation_of: music })
  const { id: hall } = await post('/venues', {
    ...{ venue: 'Hall “A”', address: 'Carrer Nou 1', city: 'Vic', country: 'Spain', zip: '08500' },
    ...{ geo_lat: 41.93, geo_lng: 2.25, image: picture, description: '<p>Old</p>' },
  })
  await post('/venues', { venue: 'Sala', i18n_language: 'ca', translation_of: hall })
  const { id: choir } = await post('/organizers', { organizer: 'Choir', email: 'choir@example.org' })
  const linked = { venue: hall, organizer: choir, categories: [music], tags: ['Open air', 'Free'] }
  const concert = await post('/events', {
    ...{ ...EVENT, ...linked, title: 'Concert — “Música”', cost: '10 - 20', image: picture },
    ...{ description: 'Two\nlines <b>bold</b> <script>x</script>', featured: true, slug: 'concert' },
  })
  await post('/events', { ...EVENT, title: 'Concert', i18n_language: 'ca', translation_of: concert.id })
  await must(editor.patch(`/events/${concert.id}`, { event_status: 'cancelled', event_status_reason: 'Ill' }))
  await post('/events', { ...EVENT, title: 'Within', post_parent: concert.id, all_day: true }, author)
  await post('/events', {
    ...EVENT,
    title: 'Members only',
    password: 'hush',
    description: 'Secret',
    ...linked,
  })
  await post('/events', { ...EVENT, title: 'Draft', status: 'draft' }, author)
  await post('/events', { ...EVENT, title: 'Later', date: '2030-01-01 00:00:00', tags: ['Coming'] })
  await post('/events', { ...EVENT, title: 'Private', status: 'private', timezone: 'America/New_York' })
  for (let at = 0; at < 2; at++) {
    const { id } = await post('/events', { ...EVENT, title: 'Gone' })
    await must(editor.delete(`/events/${id}`))
  }
  const first = await post('/events', {
    ...{ ...EVENT, ...linked, title: 'Rehearsal' },
    recurrence: {
      rrule: 'FREQ=WEEKLY;COUNT=5',
      rdate: ['2026-12-24 20:00:00'],
      exdate: ['2026-12-15 20:00:00'],
    },
  })
  const dates = (await must(editor.get(`/events?series=${first.series}&when=all`))).events
  await must(
    editor.patch(`/events/${dates[1].id}`, { title: 'Guest', start_date: '2026-12-07 18:00:00', venue: [] }),
  )
  await must(editor.delete(`/events/${dates[2].id}`))
  await must(editor.patch(`/events/${dates[0].id}?apply_to=all`, { excerpt: 'Every week' }))
  await post('/series', {
    ...{ ...EVENT, title: 'Assaig', i18n_language: 'ca', translation_of: first.series },
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5' },
  })
  await post('/events', { ...EVENT, title: 'Always', all_day: true, recurrence: { rrule: 'FREQ=MONTHLY' } })
  return { gone: dates[2].id }
}

/** When a calendar was written to last, as the heads of feeds say: of a copy, when it was made. And what the environment sets. */
const WRITTEN = /^LAST-MODIFIED:.*$|<lastBuildDate>.*?<\/lastBuildDate>|"locked":\[.*?\],/m

/** What calendars answer on many routes, to everybody who asks. */
async function answersOf(api: Api) {
  const { administrator } = api
  const many = 'per_page=100&when=all'
  const paths = [
    '/',
    `/events?${many}`,
    `/events?${many}&expand=false`,
    '/events?q=concert',
    '/suggest?q=con',
  ]
  paths.push('/events?categories=arts', '/events?tags=open-air&when=all', '/events?search=secret&when=all')
  for (const kind of ['venues', 'organizers', 'series', 'categories', 'tags', 'media', 'users'])
    paths.push(`/${kind}?per_page=100`)
  paths.push('/ca/events?per_page=100'.replace('/ca', ''), '/events?status=any&per_page=100&when=all')
  paths.push('/events.ics?when=all', '/events.rss?when=all', '/events.jsonld?when=all', '/settings')
  const listed = async (kind: string): Promise<{ id: number; slug: string }[]> =>
    (
      await must(administrator.get(`/${kind}?per_page=100&status=any${kind === 'events' ? '&when=all' : ''}`))
    )[kind]
  for (const kind of ['events', 'series', 'venues', 'organizers'])
    for (const { id, slug } of await listed(kind)) {
      paths.push(`/${kind}/${id}`)
      if (slug) paths.push(`/${kind}/by-slug/${slug}`)
      if (kind === 'events' || kind === 'series') paths.push(`/${kind}/${id}/revisions`)
    }
  for (let id = 1; id < 70; id++) paths.push(`/events/${id}`)
  const own = [
    '//events/',
    '//events/month/',
    '//sitemap.xml',
    '//wp-json/wp/v2/media',
    '//calendar/ca/events/v1/events',
  ]
  const answers: Record<string, unknown> = {}
  for (const role of ['anonymous', 'author', 'administrator'] as const)
    for (const path of [...new Set([...paths, ...own])]) {
      const { status, text } = await api[role].get(path)
      answers[`${role} ${path}`] = [status, text.replace(WRITTEN, '')]
    }
  return answers
}

/** A calendar on a file of its own, whose users sign in as those of `build` do. */
async function openOn(t: Test, name: string, users: boolean) {
  const file = join(t.testdirName, `${name}.db`)
  const MEDIA_DIR = join(t.testdirName, `media-${name}`)
  const api = await build(t, {
    env: { ...(users ? ZONE : {}), DATABASE: file, MEDIA_DIR, COMPAT_PREFIXES: 'wp-json/tribe/events/v1' },
    users,
  })
  return { api, file, env: { MEDIA_DIR } }
}

/** Clients for the users whom an import brought. */
async function signIn(api: Api) {
  for (const role of ROLES) {
    const user = (await api.app.store.users.byLogin(role))!
    const { token } = await api.app.store.tokens.add(user.id, 'test', ['read', 'write', 'admin'], null)
    const get: Client['get'] = async (path) =>
      api.anonymous.get(path, undefined, { headers: { authorization: `Bearer ${token}` } })
    api[role as Role] = { ...api[role as Role], get }
  }
}

t.test('an export, imported into an empty database, gives the same answers', async (t) => {
  t.testdir()
  const from = await openOn(t, 'from', true)
  await fill(from.api)
  const folder = join(t.testdirName, 'out')
  const written = await almanac(from.file, ['export', folder], false, from.env)
  t.equal(written.complained, '')
  t.match(
    written.printed,
    /calendar\.jsonl holds 43 events, 2 venues, 1 organizer, and .*media \d+ files of pictures\.\n$/,
  )
  const lines = join(folder, 'calendar.jsonl')
  t.equal(statSync(lines).mode & 0o777, 0o600, 'it has what not everybody may read')

  const to = { file: join(t.testdirName, 'to.db'), env: { MEDIA_DIR: join(t.testdirName, 'media-to') } }
  const dry = await almanac(to.file, ['import', folder, '--dry-run'], false, to.env)
  t.match(dry, { code: 1, complained: /does not exist/ })
  t.notOk(existsSync(to.file))
  const read = await almanac(to.file, ['import', folder, '--json'], false, to.env)
  t.equal(read.complained, '')
  const report = JSON.parse(read.printed)
  t.same([report.told, report.troubles], [[], 0])
  t.equal(report.counts.user.added, ROLES.length)
  const copy = await openOn(t, 'to', false)
  await signIn(copy.api)
  const [is, was] = [await answersOf(copy.api), await answersOf(from.api)]
  t.same(
    Object.entries(is)
      .filter(([name, answer]) => JSON.stringify(answer) !== JSON.stringify(was[name]))
      .map(([name]) => name),
    [],
  )
  t.ok(Object.keys(was).length > 300)
  t.equal((await almanac(to.file, ['check'], false, to.env)).code, 0)

  const taken = await almanac(from.file, ['export', folder], false, from.env)
  t.match(taken, { code: 1, complained: /calendar\.jsonl exists; name another folder, or use --force\n$/ })
  const { media } = JSON.parse(readFileSync(lines, 'utf8').split('\n')[0]!).counts
  t.equal(media, 2)
  rmSync(from.env.MEDIA_DIR, { recursive: true })
  const bare = await almanac(from.file, ['export', folder, '--force', '--json'], false, from.env)
  t.equal(JSON.parse(bare.printed).missing.length, 4)
  const lost = await almanac(from.file, ['export', folder, '--force'], false, from.env)
  t.match(lost.printed, /\n4 files of pictures were not there: 2026\/11\/.*\n$/)
  const lean = await almanac(from.file, ['export', folder, '--force', '--no-media'], false, from.env)
  t.match(lean.printed, /1 organizer\.\n$/)
  const other = join(t.testdirName, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'media'), '')
  const failed = await almanac(to.file, ['export', other], false, to.env)
  t.match(failed, { code: 1, complained: /ENOTDIR|EEXIST/ })
  t.same(readdirSync(other), ['media'], 'half an export is not left behind')
  writeFileSync(join(t.testdirName, 'file'), '')
  const full = await almanac(from.file, ['export', join(t.testdirName, 'file')], false, from.env)
  t.match(full, { code: 1, complained: /EEXIST|ENOTDIR/ })

  const again = await almanac(to.file, ['import', lines, '--json'], false, to.env)
  t.equal(again.code, 0)
  for (const [kind, counts] of Object.entries(JSON.parse(again.printed).counts))
    t.match(counts, { added: 0, refused: 0 }, kind)
  const all = readFileSync(lines, 'utf8').split('\n')
  const orphan = '{"kind":"category","id":900,"name":"Lost","slug":"lost","language":"en","parent_id":899}'
  const empty = Array.from({ length: 60 }, () => '{}')
  writeFileSync(lines, [all[0], orphan, ...empty, '{"kind":"end","lines":61}'].join('\n'))
  const bad = await almanac(to.file, ['import', lines, '--author', 'editor'], false, to.env)
  t.equal(bad.complained, 'almanac: 60 records could not be taken\n')
  t.match(
    bad.printed,
    /^This came:\n +added.*\ncategory .*\nline .*60\nCould not be taken:\n {2}line 3, line \{\}: is no record of an export\n(.*\n){49} {2}and 10 more\nTaken, with remarks:\n {2}line 2, category Lost: has no parent: there is no category 899\nCorrect in the file .*\n$/,
  )
  const plan = await almanac(to.file, ['import', lines, '--dry-run'], false, to.env)
  t.match(plan, { code: 0, printed: /^This would come:\n/ })
  writeFileSync(lines, '')
  t.match(await almanac(to.file, ['import', lines], false, to.env), {
    code: 1,
    complained: /is no export of Almanac/,
  })
  const none = await almanac(to.file, ['import', join(folder, 'x.jsonl')], false, to.env)
  t.match(none, { code: 1, complained: /x\.jsonl: there is no such file or folder/ })
})
