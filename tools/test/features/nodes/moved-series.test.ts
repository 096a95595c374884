import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { almanac } from '../../../../test/support/almanac.ts'
import { must } from '../../../../test/support/answers.ts'
import { build } from '../../../../test/support/app.ts'
import { storedDates, WEEKLY } from '../../../../test/support/series.ts'
import { embeddedPostgres } from '../../support/embedded-postgres.ts'

/** A file with series in every state: dates of their own, moved, left out, added, in the trash, translated, all-day, without an end. */
async function filled(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file } })
  const { editor } = api
  const { id } = await must(
    editor.post('/series', {
      ...WEEKLY,
      tags: ['choir'],
      recurrence: {
        rrule: 'FREQ=WEEKLY;COUNT=6',
        rdate: ['2026-12-24 20:00:00'],
        exdate: ['2026-12-15 20:00:00'],
      },
    }),
  )
  const [first, second, third, fourth] = storedDates(api, id)
  await must(editor.patch(`/events/${first!.id}`, { title: 'Rehearsal' }))
  await must(
    editor.patch(`/events/${second!.id}`, {
      start_date: '2026-12-09 18:00:00',
      end_date: '2026-12-09 19:00:00',
    }),
  )
  await must(editor.delete(`/events/${third!.id}`))
  await must(editor.delete(`/events/${fourth!.id}?force=true`))
  const catalan = { ...WEEKLY, title: 'Cor', i18n_language: 'ca', translation_of: id }
  await must(editor.post('/series', catalan))
  const allDay = { start_date: '2026-12-05', end_date: '2026-12-06', all_day: true }
  await must(
    editor.post('/series', { ...allDay, title: 'Market', recurrence: { rrule: 'FREQ=MONTHLY;BYDAY=1SA' } }),
  )
  const { id: ended } = await must(editor.post('/series', { ...WEEKLY, title: 'Ended' }))
  await must(editor.delete(`/series/${ended}`))
  await api.app.close()
  return file
}

/** What is stored of series and their dates, and what is answered about them. */
async function stateOf(t: Test, file: string) {
  const db = new Database(file, { readonly: true })
  const rows = ['series', 'occurrences', 'posts', 'events', 'links'].map((table) =>
    db.prepare(`select * from ${table} order by 1, 2`).all(),
  )
  const ids = db.prepare('select post_id from series order by 1').pluck().all()
  const users = db.prepare('select count(*) from users').pluck().get()
  db.close()
  const api = await build(t, { env: { DATABASE: file }, users: false })
  const answers: unknown[] = []
  for (const id of ids)
    for (const path of [`/series/${id}`, `/events?series=${id}&per_page=50`, `/events.ics?series=${id}`]) {
      const { status, text } = await api.anonymous.get(path)
      answers.push([path, status, text])
    }
  await api.app.close()
  return { rows, users, answers }
}

t.test('a backup of series comes back as it was', async (t) => {
  const file = await filled(t)
  const before = await stateOf(t, file)
  t.ok(before.rows.every((rows) => rows.length > 3))
  const copy = join(t.testdirName, 'copy.db')
  t.match(await almanac(file, ['backup', copy]), { code: 0, complained: '' })
  const api = await build(t, { env: { DATABASE: file }, users: false })
  const [[series] = [0]] = api.app.store.db.rows<[number]>('select min(post_id) from series')
  await api.app.store.db.write(async (tx) =>
    tx.run(`update series set rrule = 'FREQ=DAILY' where post_id = ${series}`),
  )
  await api.app.close()
  t.notSame((await stateOf(t, file)).rows, before.rows)
  t.match(await almanac(file, ['restore', copy]), { code: 0, complained: '' })
  t.same(await stateOf(t, file), before)
  t.match(await almanac(file, ['check']), { code: 0 })
})

t.test('series go to PostgreSQL and back as they were', async (t) => {
  const postgres = await embeddedPostgres()
  t.teardown(() => postgres.close())
  const file = await filled(t)
  const before = await stateOf(t, file)
  const back = join(t.testdirName, 'back.db')
  const move = (words: string[]) => almanac('none.db', ['move', ...words])
  t.match(await move(['--from', file, '--to', postgres.url]), { code: 0, complained: '' })
  t.match(await move(['--from', postgres.url, '--to', back]), { code: 0, complained: '' })
  t.same(await stateOf(t, back), before)
  t.match(await almanac(back, ['check']), { code: 0 })
})
