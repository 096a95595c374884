import type { FastifyRequest } from 'fastify'
import type { Origin } from '../../formats/json.ts'
import type { Pictures } from '../../media/pictures.ts'
import type { Write } from '../../store/records/write.ts'
import type { Store } from '../../store/store.ts'
import type { View } from '../../store/views/documents.ts'
import { invalid } from '../../support/errors.ts'
import { hashPassword, isPassword } from '../../support/passwords.ts'
import { openLane } from '../../support/semaphore.ts'
import type { Dispatch } from '../../webhooks/dispatch.ts'
import { actorOf } from '../access/audit.ts'
import { openVisits } from '../access/event-password.ts'
import { givenOf, ignoredOf } from '../input/validator.ts'
import { encodeName } from '../output/names.ts'
import type { PageSettings, Pages } from '../output/pages.ts'
import { type Mount, mountOf } from '../server/mounts.ts'

/** The host in the URL of the service, and its path if it has one. */
const hostOf = (base: string) => base.replace(/^\w+:\/\//, '').replace(/:\d+(?=\/|$)/, '')

/** Where the records of a mount are: the URLs and words that they begin with. */
export const originAt = (base: string, { path, vendor }: Pick<Mount, 'path' | 'vendor'>): Origin => ({
  ...{ base, root: base + path, vendor, host: hostOf(base) },
})

/** What the routes share: the stores, and the mount and language of a request. */
export function openService(
  store: Store,
  pictures: Pictures,
  hooks: Dispatch,
  settings: Pick<PageSettings, 'baseUrl' | 'namespace' | 'siteName'>,
  pages?: Pages,
) {
  const { baseUrl: base, namespace, siteName: name } = settings
  const { site } = store
  const visits = openVisits()
  /** New event passwords are hashed one at a time. */
  const inTurn = openLane(1, 100)
  const origins = new Map<Mount, Origin>()

  function originOf(request: FastifyRequest): Origin {
    const mount = mountOf(request)!
    const known = origins.get(mount)
    if (known) return known
    const origin = originAt(base, mount)
    origins.set(mount, origin)
    return origin
  }

  /** The language of records that are created at this URL without one. */
  const languageAt = (request: FastifyRequest) => mountOf(request)!.language ?? site.languages[0]!

  /** The hash of a new event password; null removes the password. */
  async function hashOf(password: string | null): Promise<string | null> {
    if (password === null) return null
    if (!isPassword(password)) throw invalid({ password: 'must be text without control characters.' })
    return inTurn(() => hashPassword(password))
  }

  return {
    store,
    site,
    /** The name of the calendar, for people. */
    name,
    /** The URL of the service. */
    base,
    /** The root of the API at its first mount, without language. */
    home: `${base}/${namespace}`,
    pictures,
    hooks,
    /** What the pages share; undefined without pages. */
    pages,
    host: hostOf(base),
    root: (request: FastifyRequest) => originOf(request).root,
    /** What the password in the query of a request unlocks, or another one. */
    opens: visits,
    view: (request: FastifyRequest, single: boolean): View => ({
      origin: originOf(request),
      caller: request.caller,
      single,
      opens: visits(request),
    }),
    /** The language of lists: from the selector, else from the root, else all (D21). */
    language: (request: FastifyRequest): string | undefined =>
      (request.query as { i18n_language?: string }).i18n_language ?? mountOf(request)?.language,
    /** Runs a write in its transaction, after downloading the images that its input refers to. */
    async write<T>(request: FastifyRequest, work: (write: Write) => Promise<T>): Promise<T> {
      const { caller } = request
      const body = request.body as Record<string, unknown>
      // first, so that a refused password leaves no images to discard
      if (body.password !== undefined) body.password_hash = await hashOf(body.password as string | null)
      const found = await pictures.bring(body, caller)
      try {
        const created: Write['created'] = []
        // a copy, because the changes of a failed write must be undone
        const done = await store.db.write((tx) =>
          work({
            tx,
            site,
            caller,
            by: actorOf(request),
            now: site.clock(),
            language: languageAt(request),
            pictures: new Map(found),
            ignored: ignoredOf(body),
            given: givenOf(body),
            created,
          }),
        )
        request.createdTerms = created.map(({ plural, id, name }) => `${plural}[${id}]=${encodeName(name)}`)
        return done
      } catch (error) {
        await pictures.discard(found)
        throw error
      }
    },
    /** A read-only context on committed data, for checks before a write. */
    reading: (request: FastifyRequest): Write => ({
      tx: store.db.read,
      site,
      caller: request.caller,
      by: actorOf(request),
      now: site.clock(),
      language: languageAt(request),
      pictures: new Map(),
      ignored: [],
      given: (request.body ?? {}) as Record<string, unknown>,
      created: [],
    }),
  }
}
export type Service = ReturnType<typeof openService>
