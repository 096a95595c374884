import type { FastifyReply, FastifyRequest } from 'fastify'
import * as revision from '../../../schemas/revision.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { absent } from '../../calendar/resource/resource.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { guarded, readOne, showWritten } from '../../calendar/resource/writes.ts'
import { RIGHTS } from '../../calendar/rights.ts'
import { declareErrors, type ErrorCode } from '../../kernel/errors.ts'
import { addNames, printName } from '../../kernel/output/header-values.ts'
import { type ConfigOf, daysOrOff, type SettingTable } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { addRevision, openRevisions, openVersions, type Revision } from './revisions.ts'

const KINDS = { event: 'events', series: 'series' } as const
type Kind = keyof typeof KINDS
const ONE = { event: 'an event', series: 'a series' }
const RIGHT = RIGHTS['create records']

/** Errors of members of a body, which bringing back does not read. */
const BODY: ErrorCode[] = ['rest_unsupported_media_type', 'rest_bad_request']
/** What can not be brought back from: a series, whose way to the trash is a change, can. */
const IN_TRASH: Record<Kind, ErrorCode[]> = { event: ['event-is-in-trash'], series: [] }

/** A change as shown: what has no value is left out. */
function showRevision({ id, at_utc, by: user, login, name, fields }: Revision) {
  const side = (at: 0 | 1) =>
    Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values[at]]))
  return shown({ id, at_utc, user, login, name: name || null, before: side(0), after: side(1) })
}

/** What was changed in events and series, and the way back. */
const revisionRoutes = family('revisions', async (app, service) => {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const plural = KINDS[kind]
    const One = kind === 'event' ? 'Event' : 'Series'
    const permission = { right: RIGHT, to: `read the history of ${plural}` } as const
    const { list, add, paramsOf } = openCollection(app, service, {
      tag: 'History',
      permission,
      ids: { id: kind, revision_id: 'revision' },
    })
    const { revisions, posts, versions } = service.store
    const resource = readableOf(service, kind)
    /** The record as the caller may edit it, by its ID. */
    const editable = async (request: FastifyRequest) =>
      (await posts.editable(kind, { id: paramsOf(request).id }, request.caller)).id

    list({
      kind: 'revision',
      plural: 'revisions',
      url: `/${plural}/:id/revisions`,
      operationId: `list${One}Revisions`,
      summary: `List the changes of ${ONE[kind]}`,
      description: `Returns who changed what and when, the latest change first, with the values of the changed members before and after. For callers who may edit ${ONE[kind]}. Changes are kept for a year unless the operator set another time; creation is none. ${SCOPE[kind]}`,
      errors: [absent(kind), 'revision-archive-page-not-found'],
      answer: 'RevisionPage',
      async find(paging, _params, request) {
        const { rows, total } = await revisions.list(await editable(request), paging)
        return { rows: rows.map(showRevision), total }
      },
    })

    add({
      method: 'POST',
      operation: 'update',
      url: `/${plural}/:id/revisions/:revision_id/restore`,
      operationId: `restore${One}Revision`,
      summary: `Bring back ${ONE[kind]} as it was before a change`,
      description: `Gives the members that were changed since the values that they had before this change. It is an update as any other: with the rights that one takes, with \`If-Match\`, and itself a change that can be undone. What no longer exists, such as a deleted image, stays as it is and is named in \`X-Ignored-Fields\`; a password is not brought back.`,
      permission: { right: RIGHT, to: `update ${plural}` },
      errors: [absent(kind), 'revision-not-found', 'rest_precondition_failed', ...IN_TRASH[kind]],
      except: BODY,
      answer: kind === 'event' ? 'CalendarEvent' : 'Series',
      async handle(request: FastifyRequest, reply: FastifyReply) {
        const { id, revision_id: revision } = paramsOf(request)
        const current = () =>
          readOne(request, service, { ...resource, find: () => editable(request) }, { id })
        const { ignored } = await guarded(request, reply, service.store, kind, current, (guard) =>
          versions(kind, { context: service.checking(request), id, revision, guard }),
        )
        addNames(reply, 'x-ignored-fields', ignored.map(printName))
        return showWritten(request, reply, service, resource, id, { id })
      },
    })
  }
})

const SCOPE: Record<Kind, string> = {
  event:
    'Of a date of a series these are the changes of this date alone: those of all dates are at the series.',
  series:
    'These are the changes of the series, which its dates follow; what is changed in one date is at that date.',
}

/** A kind as single reads find and show it. */
const readableOf = ({ store }: Service, kind: Kind) => ({
  name: kind,
  find: async (
    key: Parameters<typeof store.posts.open>[0],
    _request: unknown,
    view: Parameters<typeof store.posts.open>[1],
  ) => (await store.posts.open(key, view, kind)).id,
  show: store.documents.posts,
})

/** The errors of the history of events: code, status and meaning. */
const HISTORY_ERRORS = declareErrors({
  'revision-not-found': [
    404,
    'The event or series has no such change, or it is older than changes are kept.',
  ],
  'revision-archive-page-not-found': [404, 'The history of the record has no such page.'],
})

const HISTORY_SETTINGS = {
  REVISIONS_DAYS: {
    default: '365',
    meaning: 'Days for which changes of events are kept for those who edit them; off keeps all.',
    read: daysOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof HISTORY_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
type Errors = typeof HISTORY_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** What was changed in events and series. */
    revisions: ReturnType<typeof openRevisions>
    versions: ReturnType<typeof openVersions>
  }
}

/** Who changed what in events and series, and the way back. */
export const history: ServiceFeature = {
  name: 'history',
  settings: HISTORY_SETTINGS,
  tags: {
    History: 'What was changed in events and series, by whom, and the way back. For those who may edit them.',
  },
  answers: [revision.EventVersion, revision.Revision, revision.RevisionPage],
  errors: HISTORY_ERRORS,
  openStore({ db, site, domainEvents, events, series }) {
    domainEvents.on('record.changed', addRevision)
    return {
      revisions: openRevisions(db, site),
      versions: openVersions(db, { event: events.update, series: series.update }),
    }
  },
  async plugin(app, { config: { revisionsDays: days }, service }) {
    const { revisions } = service.store
    if (days !== undefined)
      app.retain({
        remove: () => revisions.removeOld(days),
        failed: 'old changes of events could not be removed',
      })
    app.register(revisionRoutes, { service })
  },
}
