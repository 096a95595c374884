import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { almanac } from '../../../support/almanac.ts'
import { build } from '../../../support/app.ts'
import { calendarOf, openFeeds, openReference, tribeEvent, vevent } from '../../../support/sites.ts'

t.test('a calendar is imported by a command, which tells what it did', async (t) => {
  const site = await openReference(t)
  const file = join(t.testdir(), 'a.db')
  const env = { MEDIA_DIR: join(t.testdirName, 'media'), DATABASE: file }
  const run = (args: string[], terminal = false) =>
    almanac(file, ['import', site.root, ...args], terminal, env)
  const complaint = async (...args: string[]) => (await run(args)).complained
  t.match(await complaint(), /a.db: does not exist/)
  await almanac(file, ['user', 'add', 'ann', '--role', 'author'])
  t.match(await complaint(), /there is no administrator who could own the records; add one: almanac user add/)
  t.match(
    await complaint('--author', 'ann'),
    /ann has the role author; who owns what is imported has to be an editor/,
  )
  t.match(await complaint('--author', 'bob'), /there is no user "bob"/)
  await almanac(file, ['user', 'add', 'maria', '--role', 'administrator'])
  t.match(await complaint('--language', 'fr'), /"fr" is none of the languages of this calendar: en/)
  t.match(await complaint('--credentials', '/nowhere'), /nowhere/)
  t.match(await complaint('--format', 'csv'), /--format is for files, and http.* is a site/)
  t.match(await complaint('--date-order', 'dmy'), /--date-order is for files, and http.* is a site/)
  t.match(
    (await almanac(file, ['import', 'old.example/events', '--keep'], false, env)).complained,
    /--keep is for sites, whose addresses begin with https:\/\/, and old.example\/events is none/,
  )

  site.lists.events = ['2026-12-01', '2026-12-08', '2026-12-15'].map((day, at) =>
    tribeEvent(11 + at, { title: 'Yoga', start_date: `${day} 18:00:00`, end_date: `${day} 19:00:00` }),
  )
  site.lists.events.push(tribeEvent(20, { website: 'none' }))
  for (let id = 30; id < 85; id++)
    site.lists.events.push(tribeEvent(id, { all_day: null, title: `Locked ${id}` }))
  const credentials = join(t.testdirName, 'credentials')
  const asked: (string | undefined)[] = []
  const note: (typeof site.instead)[number] = (request, response) => {
    asked.push(request.headers.authorization)
    response.writeHead(401).end()
  }
  for (const text of ['maria:abcd EFGH', 'token']) {
    writeFileSync(credentials, `${text}\n`)
    site.instead = [note]
    t.match(
      await complaint('--credentials', credentials),
      /answers 401: it takes other credentials, which --credentials names/,
    )
  }
  t.same(asked, [`Basic ${btoa('maria:abcd EFGH')}`, 'Bearer token'])
  writeFileSync(credentials, '\n')
  t.match(
    await complaint('--credentials', credentials),
    /has no credentials; write login:password or a token into it/,
  )

  site.instead = [(_request, response) => response.writeHead(503, { 'retry-after': '0' }).end()]
  const planned = await run(['--dry-run'], true)
  t.match(
    planned.printed,
    new RegExp(
      `^An import from ${site.root} would be this, and wrote nothing:\n  events {6}4 created, 55 not taken\n`,
    ),
  )
  t.match(
    planned.printed,
    /Not taken:\n {2}event 30 "Locked 30": it is under a password.*\n(.*\n){49} {2}and 5 more, which --json names\n/,
  )
  t.match(planned.printed, /Taken, but not whole:\n {2}event 20 "Event 20": website ".*": must be/)
  t.match(
    planned.printed,
    /some of events that were not imported yet:\n {2}"Yoga": 3 events \(FREQ=WEEKLY;INTERVAL=1;COUNT=3\)\n$/,
  )
  const { code, printed } = await run(['--json', '--series', '--no-media'])
  t.equal(code, 0)
  t.match(JSON.parse(printed), {
    source: site.root,
    dry_run: false,
    counts: { series: { created: 1 }, event: { created: 4, refused: 55 } },
  })
  const api = await build(t, { env, users: false })
  t.match((await api.anonymous.get('/events/12')).body, {
    title: 'Yoga',
    author: '2',
    recurrence_id: '2026-12-08 18:00:00',
  })

  site.lists.events = []
  t.equal((await run(['--keep'])).printed, `Imported from ${site.root}:\n  events      4 gone but kept\n`)
  site.root = site.root.replace('v1', 'none')
  t.equal((await run([])).printed, `Imported from ${site.root}/wp-json/tribe/events/v1:\n  no records\n`)
})

t.test('a feed is imported by its address, and again', async (t) => {
  const site = await openFeeds(t)
  const file = join(t.testdir(), 'a.db')
  const env = { MEDIA_DIR: join(t.testdirName, 'media'), DATABASE: file }
  // the clock of commands is that of the machine
  const calendar = (...events: string[][]) => calendarOf(...events).replaceAll('202612', '209912')
  const run = (...args: string[]) => almanac(file, ['import', `${site.root}/e.ics`, ...args], false, env)
  await almanac(file, ['user', 'add', 'maria', '--role', 'administrator'])
  t.match(await run(), { code: 1, complained: /e.ics answers 404/ })
  site.answers['/e.ics'] = {
    body: calendar(vevent('one', 3), vevent('two', 4), ['UID:bad', 'SUMMARY:Bad']),
  }
  t.match((await run('--series')).complained, /--series is for sites, and .*e.ics is a feed/)
  const planned = await run('--dry-run')
  t.match(planned.printed, /^This would come:.*event +2 +0 +0 +0 +1.*event Bad: has no DTSTART/s)
  const { code, printed } = await run('--json')
  t.equal(code, 0)
  t.match(JSON.parse(printed), {
    dry_run: false,
    run: 1,
    counts: { event: { added: 2, refused: 1 } },
    gone: [],
  })

  site.answers['/e.ics'] = { body: calendar(vevent('one', 5)) }
  t.match((await run('--keep')).printed, /event +0 +1 +0 +0 +0/)
  t.match((await run('--dry-run')).printed, /Gone from the feed:\n {2}event \d+ "two": moved to the trash/)
  t.match((await run()).printed, /event +0 +0 +1 +0 +0.*Gone from the feed:\n {2}event \d+ "two": moved/s)
  t.match(
    (await almanac(file, ['import', 'webcal://user:secret@club.example/e.ics'], false, env)).complained,
    /must not have credentials/,
  )
})
