import { join } from 'node:path'
import { Writable } from 'node:stream'
import t from 'tap'
import { build } from '../../support/app.ts'
import { fillWithKinds, tamper } from '../../support/damage.ts'
import { openRecords } from '../../support/store.ts'

const PATHS = [
  ...['/events/2', '/events/4', '/events/4?password=hush', '/series/5', '/venues/1', '/organizers/3'],
  ...['/events', '/events?_fields=events.id,events.title', '/venues', '/organizers', '/series', '/changes'],
  ...[
    '/events.ics',
    '/events.jsonld',
    '/events.rss',
    '//events/',
    '//event/quoted/',
    '//events/month/2026-12/',
  ],
]

t.test(
  'every answer is right while stored documents are missing or damaged, and the log names them',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const calendar = await openRecords(t, { env: { DATABASE: file } })
    await fillWithKinds(calendar)
    calendar.store.db.close()
    const lines: string[] = []
    const stream = new Writable({
      write(chunk, _, done) {
        const { record, msg } = JSON.parse(String(chunk))
        lines.push(`${record}: ${msg}`)
        done()
      },
    })
    /** What another process on the file answers, but for what differs from one request to the next. */
    const answers = async () => {
      const logger = { level: 'error', stream }
      const { anonymous, app } = await build(t, { env: { DATABASE: file }, logger, users: false })
      const found: string[] = []
      for (const path of PATHS) {
        const { status, text } = await anonymous.get(path)
        found.push(`${path} ${status} ${text.replace(/"next_sync_token":"[^"]*"/, '')}`)
      }
      await app.close()
      return found
    }
    const right = await answers()
    t.same(
      right.filter((answer) => !/^\S+ 200 /.test(answer)).map((answer) => answer.slice(0, 14)),
      ['/events/4 403 '],
    )
    t.same(lines, [])
    tamper(file, "delete from documents where post_id <> 2; update documents set body = x'', json_ld = x''")
    t.same(await answers(), right)
    const rest = 'it is derived at each read until `almanac rebuild` stores it'
    const told = (id: number, what: string) => `${id}: the stored document of a record ${what}; ${rest}`
    t.same(
      lines.sort(),
      [1, 2, 3, 4, 5, 6, 7].map((id) => told(id, id === 2 ? 'is damaged' : 'is missing')),
    )
  },
)
