import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force } from '../../../schemas/common.ts'
import { ForTranslations } from '../../../schemas/facts.ts'
import { SlugInput } from '../../../schemas/input.ts'
import { Organizer, OrganizerInput, OrganizerQuery } from '../../../schemas/organizer.ts'
import { Venue, VenueInput, VenueQuery } from '../../../schemas/venue.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { MANY_WORDS, MOST_WORDS, NO_WORD, readWords } from '../../kernel/text/search.ts'
import { filterTexts, readModified } from '../resource/page.ts'
import { addResource, isForAll, isForced, type Resource } from '../resource/resource.ts'
import { family, type Service } from '../resource/service.ts'
import type { Key, LinkedFilter, LinkedKind, Write } from '../store.ts'
import { checkStatuses } from './event-list.ts'

/** The problem with a search in venues or organizers, if any. */
export function checkWords(search: string | undefined): Problems {
  const words = search === undefined ? undefined : readWords(search).length
  if (words === 0) return { search: NO_WORD }
  return words && words > MOST_WORDS ? { search: MANY_WORDS } : {}
}

/** What a list is asked for. Its document knows no IDs, which are for lists elsewhere. */
type Asked = VenueQuery & Pick<LinkedFilter, 'include' | 'exclude'>

type Stored<Input> = {
  list(
    filter: LinkedFilter,
    caller: Caller,
    spend: FastifyRequest['spend'],
  ): Promise<{ ids: number[]; total: number }>
  check(write: Write, input: Input, key?: Key): Promise<Problems>
  create(write: Write, input: Input): Promise<number>
  update(write: Write, key: Key, input: Input, all: boolean): Promise<number>
}

/** Venues and organizers, which differ only in their fields. */
export const linkedRoutes = family('linked', async (app, service) => {
  addResource(app, service, venueResource(service))
  addResource(app, service, organizerResource(service))
})

/** Venues as data of routes. */
export const venueResource = (service: Service) =>
  resourceOf<VenueInput>(service, 'venue', VenueQuery, VenueInput, Venue, service.store.venues)
/** Organizers as data of routes. */
export const organizerResource = (service: Service) =>
  resourceOf<OrganizerInput>(
    service,
    'organizer',
    OrganizerQuery,
    OrganizerInput,
    Organizer,
    service.store.organizers,
  )

function resourceOf<Input>(
  service: Service,
  kind: LinkedKind,
  Query: typeof VenueQuery | typeof OrganizerQuery,
  InputSchema: typeof VenueInput | typeof OrganizerInput,
  answer: typeof Venue | typeof Organizer,
  stored: Stored<Input>,
): Resource<Asked, Input> {
  const { store } = service
  return {
    name: kind,
    plural: `${kind}s`,
    hasSlugs: true,
    rename: Type.Object({
      slug: Type.Optional(
        SlugInput(
          `New slug of the ${kind}, the last part of its URL. An update by slug sets it; an update by ID ignores it`,
          'new-name',
        ),
      ),
    }),
    right: 'create records',
    query: Query,
    input: InputSchema,
    answer,
    read: Type.Object({}),
    remove: Type.Object({ ...Force, ...ForTranslations }),
    change: Type.Object(ForTranslations),
    more: Type.Object({}),
    errors: {
      read: [`${kind}-not-accessible`],
      create: [`could-not-create-${kind}`],
      update: [`could-not-create-${kind}`, `${kind}-is-in-trash`],
      delete: [`${kind}-is-in-trash`],
    },
    async list(query, request) {
      const problems: Problems = checkStatuses(query.status, request)
      if (query.event !== undefined && !(await store.posts.byId('event', query.event)))
        problems.event = `There is no event with ID ${query.event}.`
      refuse({ ...problems, ...checkWords(query.search) })
      const { modified, texts, until } = readModified(query, service.site)
      const filter = {
        ...query,
        only_with_upcoming: query.only_with_upcoming === true,
        language: service.language(request),
        modified,
      }
      request.until = filter.only_with_upcoming ? 0 : until
      const { caller, spend } = request
      return { ...(await stored.list(filter, caller, spend)), filters: filterTexts(request, Query, texts) }
    },
    async find(key, request) {
      return (await store.posts.readable(kind, key, request.caller)).id
    },
    findEditable: async (key, request) => (await store.posts.editable(kind, key, request.caller)).id,
    check: (write, input, _request, key) => stored.check(write, input, key),
    create: (write, input) => stored.create(write, input),
    update: (write, key, input, request) => stored.update(write, key, input, isForAll(request)),
    delete: (key, request, view, guard) =>
      store.remove.post(
        kind,
        { context: service.checking(request), key, view, guard, all: isForAll(request) },
        isForced(request),
      ),
    show: (ids, view) => store.documents.posts(ids, view),
  }
}
