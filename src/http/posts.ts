import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { View } from '../store/documents.ts'
import { erasePost, findEditable, type Key, type PostKind, trashPost } from '../store/posts.ts'
import type { Service } from './service.ts'

/** Deletes an event, venue or organizer: to the trash, or with `force` for good (D30). */
export async function deletePost(service: Service, kind: PostKind, key: Key, request: FastifyRequest, view: View): Promise<Buffer> {
  const { documents, db } = service.store
  const write = service.reading(request)
  const { force } = request.query as { force?: boolean }
  if (!force) {
    const { id } = await db.write((tx) => trashPost({ ...write, tx }, kind, key))
    return (await documents.posts([id], view))[0]!
  }
  const { id } = await findEditable(write, kind, key, 'delete')
  const [json] = await documents.posts([id], view)
  await db.write(async (tx) => erasePost({ ...write, tx }, await findEditable({ ...write, tx }, kind, { id }, 'delete')))
  return json!
}

/** The filters of a list as its links carry them: everything that was given, dates resolved (D9). */
export function filterTexts(request: FastifyRequest, schema: TObject, dates: Record<string, string> = {}): [string, string][] {
  const query = request.query as Record<string, unknown>
  const given = new URLSearchParams(request.raw.url!.split('?')[1] ?? '')
  const names = new Set([...given.keys()].map((name) => name.replace(/\[.*$/s, '')))
  const texts: [string, string][] = []
  for (const name of [...Object.keys(schema.properties), 'i18n_language', '_fields']) {
    if (name === 'page' || name === 'per_page') continue
    if (dates[name] !== undefined) texts.push([name, dates[name]])
    else if (names.has(name) && query[name] !== undefined) texts.push([name, String(query[name])])
  }
  return texts
}
