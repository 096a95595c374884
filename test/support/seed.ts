import { type Api, EVENT } from './app.ts'

/** An event with everything that has an address: a venue, organizers, terms below one another. */
export async function seed({ editor }: Api) {
  const { body: parent } = await editor.post('/categories', { name: 'Arts' })
  await editor.post('/categories', { name: 'Music', parent: parent.id })
  const { status, body } = await editor.post('/events', {
    ...EVENT,
    categories: ['music'],
    tags: ['open air'],
    venue: { venue: 'Hall', city: 'Vic' },
    organizer: [{ organizer: 'Choir' }, { organizer: 'Band' }],
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}
