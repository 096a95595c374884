import type { FastifyRequest } from 'fastify'
import { hashPassword } from '../passwords.ts'
import type { View } from '../store/documents.ts'
import type { Origin } from '../store/render.ts'
import type { Store } from '../store/store.ts'
import type { Write } from '../store/write.ts'
import { type Mount, mountOf } from './mounts.ts'
import type { Pictures } from './pictures.ts'
import { ignoredOf } from './validator.ts'

/** What the routes share: the stores, and a request's place and language. */
export function openService(store: Store, pictures: Pictures, base: string) {
  const { site } = store
  const host = base.replace(/^\w+:\/\//, '').replace(/:\d+(?=\/|$)/, '')
  const origins = new Map<Mount, Origin>()

  function originOf(request: FastifyRequest): Origin {
    const mount = mountOf(request)!
    const known = origins.get(mount)
    if (known) return known
    const origin = { base, root: base + mount.path, vendor: mount.vendor, host }
    origins.set(mount, origin)
    return origin
  }

  return {
    store,
    site,
    base,
    pictures,
    root: (request: FastifyRequest) => originOf(request).root,
    view: (request: FastifyRequest, single: boolean): View => ({
      origin: originOf(request),
      caller: request.caller,
      single,
      password: (request.query as { password?: string }).password,
    }),
    /** The language that lists show: the selector's, else the root's, else all (D21). */
    language: (request: FastifyRequest): string | undefined =>
      (request.query as { i18n_language?: string }).i18n_language ?? mountOf(request)!.language,
    /** Runs a write in its transaction, with the pictures that its input names brought in before. */
    async write<T>(request: FastifyRequest, work: (write: Write) => Promise<T>): Promise<T> {
      const { caller } = request
      const body = request.body as Record<string, unknown>
      const found = await pictures.bring(body, caller)
      if (typeof body.password === 'string') body.password_hash = await hashPassword(body.password)
      else if (body.password === null) body.password_hash = null
      const language = mountOf(request)!.language ?? site.languages[0]!
      try {
        // a copy, for what the write makes of it is undone where it fails
        return await store.db.write((tx) =>
          work({
            tx,
            site,
            caller,
            now: site.clock(),
            language,
            pictures: new Map(found),
            ignored: ignoredOf(body),
          }),
        )
      } catch (error) {
        await pictures.discard(found)
        throw error
      }
    },
    /** The same shape for looking only: checks that a write makes, on what is committed. */
    reading: (request: FastifyRequest): Write => ({
      tx: store.db.read,
      site,
      caller: request.caller,
      now: site.clock(),
      language: site.languages[0]!,
      pictures: new Map(),
      ignored: [],
    }),
  }
}
export type Service = ReturnType<typeof openService>
