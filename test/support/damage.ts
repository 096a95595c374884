import Database from 'better-sqlite3'
import { must } from './events.ts'
import { EVENT } from './given.ts'
import type { Records } from './store.ts'

/** Changes a file behind the program's back. */
export function tamper(file: string, query: string) {
  const db = new Database(file)
  db.pragma('foreign_keys = OFF')
  db.exec(query)
  db.close()
}

/** Records of every kind: event 2 at venue 1 by organizer 3, protected event 4, series 5 and its dates. */
export async function fillWithKinds({ editor }: Records) {
  await must(editor.create('venue', { venue: 'Hall', city: 'Vic' }))
  await must(
    editor.create('event', {
      ...{ ...EVENT, title: '"Quoted" \\ {[}]', venue: 1, organizer: { organizer: 'Choir' } },
      ...{ categories: ['Music'], tags: ['late'], website: 'https://a.test/' },
    }),
  )
  await must(editor.create('event', { ...EVENT, title: 'Locked', password: 'hush', venue: 1 }))
  await must(editor.create('event', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
}
