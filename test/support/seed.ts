import type { Client } from './app.ts'
import { must } from './events.ts'
import { EVENT } from './given.ts'
import type { Person } from './store.ts'

/** An event with everything that has an address: a venue, organizers, terms below one another. */
export async function seed({ editor }: { editor: Client | Person }) {
  const add = (name: string, sent: object) =>
    must(
      'create' in editor
        ? editor.create(name === 'events' ? 'event' : 'category', sent)
        : editor.post(`/${name}`, sent),
    )
  const parent = await add('categories', { name: 'Arts' })
  await add('categories', { name: 'Music', parent: parent.id })
  return add('events', {
    ...EVENT,
    categories: ['music'],
    tags: ['open air'],
    venue: { venue: 'Hall', city: 'Vic' },
    organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }],
  })
}
