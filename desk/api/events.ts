import { type Answer, Failure, list, send } from './client.ts'

/**
 * Reads an event with its ETag. One in the trash has none: it is read from the list of the trash, and comes back from there by a change
 * of its status alone.
 */
export async function readEvent<T>(id: number): Promise<Answer<T>> {
  try {
    return await send<T>('GET', `/events/${id}`)
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.code !== 'event-no-longer-available') throw failure
    const { rows } = await list<T>('/events', 'events', { include: id, status: 'trash' })
    if (rows.length === 0) throw failure
    return { body: rows[0]!, etag: undefined }
  }
}

/** Brings an event back from the trash, with a status. */
export const restoreEvent = (id: number, status: string) =>
  send('PATCH', `/events/${id}`, { body: { status: status === 'future' ? 'publish' : status } })
