import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Post } from '../../formats/records.ts'
import { checkReadable, findEditable, findPost, type Key, type PostKind } from '../../store/records/posts.ts'
import { erasePost, trashPost } from '../../store/records/trash.ts'
import type { Store } from '../../store/store.ts'
import type { Json, View } from '../../store/views/documents.ts'
import { isOpen } from '../../store/views/visible.ts'
import { ApiError } from '../../support/errors.ts'
import type { Guard } from './precondition.ts'
import type { Service } from './service.ts'

/** The event with this key for a single read by this caller; throws the error of the read if they may not see all of it. */
export async function findEvent(
  { db }: Pick<Store, 'db'>,
  key: Key,
  view: Pick<View, 'caller' | 'opens'>,
): Promise<Post> {
  const post = await findPost(db.read, 'event', key, view.caller)
  checkReadable(post, view.caller)
  if (await isOpen(post, view)) return post
  throw new ApiError('event-password-protected', 'This event is protected; send its password as `password`.')
}

/** Moves an event, venue or organizer to the trash, or deletes it permanently with `force` (D30). */
export async function deletePost(
  service: Service,
  kind: PostKind,
  key: Key,
  request: FastifyRequest,
  view: View,
  guard: Guard,
): Promise<Json | undefined> {
  const { documents, db } = service.store
  const write = service.reading(request)
  const { force } = request.query as { force?: boolean }
  if (!force) {
    const { id } = await db.write((tx) => guard(tx, () => trashPost({ ...write, tx }, kind, key)))
    return (await documents.posts([id], view))[0]
  }
  const { id } = await findEditable(write, kind, key, 'delete')
  const [json] = await documents.posts([id], view)
  await db.write((tx) =>
    guard(tx, async () =>
      erasePost({ ...write, tx }, await findEditable({ ...write, tx }, kind, { id }, 'delete')),
    ),
  )
  return json
}

/** Parameters that links do not repeat: they set the page themselves, and never contain a password. */
const NOT_CARRIED = ['page', 'per_page', 'password']

/** The filters in the links of a list: all that were sent, with dates resolved (D9). */
export function filterTexts(
  request: FastifyRequest,
  schema: TObject,
  dates: Record<string, string> = {},
): [string, string][] {
  const query = request.query as Record<string, unknown>
  const { given } = request
  const known = [...Object.keys(schema.properties), 'i18n_language', '_fields'].flatMap(
    (name): [string, string][] => {
      if (dates[name] !== undefined) return [[name, dates[name]]]
      return given[name] && query[name] !== undefined ? [[name, String(query[name])]] : []
    },
  )
  const names = new Set(known.map(([name]) => name))
  const others = Object.entries(given).flatMap(([name, { values }]): [string, string][] =>
    names.has(name) ? [] : [[name, values.join(',')]],
  )
  return [...known, ...others].filter(([name]) => !NOT_CARRIED.includes(name))
}
