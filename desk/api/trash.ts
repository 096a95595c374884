import { type Answer, Failure, list, send } from './client.ts'

/** Reads an event with its ETag. One in the trash is read from the list of the trash, and has the ETag that the refused read tells. */
export async function readEvent<T>(id: number): Promise<Answer<T>> {
  try {
    return await send<T>('GET', `/events/${id}`)
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.code !== 'event-no-longer-available') throw failure
    const { rows } = await list<T>('/events', 'events', { include: id, status: 'trash', when: 'all' })
    if (rows.length === 0) throw failure
    return { body: rows[0]!, etag: failure.etag }
  }
}

/** What is known of a record that was moved to the trash. */
export type Trashed = { id: number; modified_utc: string }

/** Brings a record back from the trash with the status that it had, if it still lies there as it was put there. */
async function restore(path: string, now: Answer<Trashed>, trashed: Trashed, status: string) {
  if (now.body.modified_utc !== trashed.modified_utc)
    throw new Failure(412, { code: 'rest_precondition_failed', message: '' })
  await send('PATCH', path, {
    body: { status: status === 'future' ? 'publish' : status },
    match: now.etag,
  })
}

/** Brings an event back from the trash. */
export const restoreEvent = async (trashed: Trashed, status: string) =>
  restore(`/events/${trashed.id}`, await readEvent<Trashed>(trashed.id), trashed, status)

/** Brings a venue or an organizer back from the trash. */
export async function restoreLinked(plural: string, trashed: Trashed, status: string) {
  const path = `/${plural}/${trashed.id}`
  await restore(path, await send<Trashed>('GET', path), trashed, status)
}
