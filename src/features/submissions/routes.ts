import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Fields } from '../../../schemas/common.ts'
import {
  type SubmissionInput as Sent,
  SubmissionDecision,
  SubmissionInput,
  SubmissionQuery,
} from '../../../schemas/submission.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { bodyOf, family, type Service } from '../../calendar/resource/service.ts'
import type { DateLimit } from '../../calendar/store.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { ApiError, missing } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { likeness } from '../../kernel/text/search.ts'
import { addDays, secondsOf, startOfDay } from '../../kernel/time/dates.ts'
import type { SubmissionSettings } from './mail.ts'
import { openReceiving } from './receiving.ts'
import { SUBMISSIONS_RIGHTS } from './rights.ts'
import type { Decision, Submission } from './rows.ts'

/** Events of a day that are looked at, and those that are named. */
const LOOKED_AT = 100
const NAMED = 5
/** Titles with as much in common are similar; at the same place it takes less. */
const SIMILAR = 0.5
const AT_THE_PLACE = 0.2

/** Finds the events that a submission may be a second time: on the same day, with a similar title, above all at the same place. */
function openAlike({ store }: Service) {
  const START = { by: 'start', descending: false } as const
  return async (request: FastifyRequest, { event_id, title, start_date }: Submission) => {
    const { caller } = request
    const first = startOfDay(start_date)
    const limit = (than: DateLimit['than'], wall: string): DateLimit => ({
      side: 'start',
      than,
      value: secondsOf(wall),
      utc: false,
    })
    const dates = [limit('>=', first), limit('<', addDays(first, 1))]
    const { selection } = await store.lists.select(
      { status: ['any'] } as never,
      { dates, order: START },
      caller,
    )
    const { ids } = await store.lists.list(selection, { page: 1, per_page: LOOKED_AT })
    const found = (await store.records.posts([event_id, ...ids.filter((id) => id !== event_id)], {
      caller,
    })) as EventRecord[]
    const places = found
      .filter(({ id }) => id === event_id)
      .flatMap(({ venues }) => venues.map((venue) => venue.title))
    const isThere = ({ venues }: EventRecord) =>
      venues.some((venue) => places.some((place) => likeness(place, venue.title) >= SIMILAR))
    return found
      .filter(({ id }) => id !== event_id)
      .map((event) => ({
        event,
        like: likeness(title, event.title) + (isThere(event) ? SIMILAR - AT_THE_PLACE : 0),
      }))
      .filter(({ like }) => like >= SIMILAR)
      .sort((a, b) => b.like - a.like)
      .slice(0, NAMED)
      .map(({ event: { id, title, status, start_date, venues } }) => ({
        id,
        title,
        status,
        start_date,
        venue: venues[0]?.title ?? '',
      }))
  }
}

const TAG = 'Submissions'
const RIGHT = 'decide on submissions'
const AREA = { tag: TAG, permission: { right: SUBMISSIONS_RIGHTS[RIGHT], to: RIGHT } } as const

const DECISIONS = {
  accept: {
    state: 'accepted',
    summary: 'Accept a submission',
    description:
      'Publishes the event, and its new place and organizer. The submitter is told by mail, with the reply if there is one.',
  },
  ask: {
    state: 'asked',
    summary: 'Ask the submitter back',
    description:
      'Tells the submitter the reply by mail, with a new address at which the event is corrected; the address before ends. Without mail the reply stands on the page of the submission. It is 409 once nobody knows any more who proposed the event.',
  },
  refuse: {
    state: 'refused',
    summary: 'Refuse a submission',
    description:
      'Moves the event to the trash, with its new place and organizer if nothing else has them. The submitter is told by mail, with the reply if there is one.',
  },
} as const satisfies Record<string, { state: Decision; summary: string; description: string }>

/** Events that people without accounts propose: sending one, and what editors decide. With `SUBMISSIONS=off` there are none. */
export const submissionRoutes = (settings: SubmissionSettings) =>
  family('submissions', async (app, service) => {
    const { store, site } = service
    const { isOn } = settings
    const { add, list, paramsOf } = openCollection(app, service, { ...AREA, ids: { id: 'submission' } })
    const receiving = openReceiving(service, settings)
    const alikeOf = openAlike(service)
    const { challenges } = store.submissions
    publishBody(app, SubmissionInput(site.languages))
    publishBody(app, SubmissionDecision)
    // before rights, so that it is as what does not exist
    app.addHook('onRequest', async () => {
      if (!isOn) throw noRoute()
    })

    const show = async (request: FastifyRequest, row: Submission) =>
      shown({
        id: row.id,
        state: row.state,
        event: row.event_id,
        title: row.title,
        start_date: row.start_date,
        end_date: row.end_date,
        all_day: row.all_day,
        language: row.language,
        name: row.name,
        email: row.email,
        note: row.note,
        reply: row.reply,
        created_utc: row.created_utc,
        modified_utc: row.modified_utc,
        decided_utc: row.decided_utc,
        decided_by: row.decided_by,
        alike: await alikeOf(request, row),
      })
    const one = async (request: FastifyRequest) =>
      show(request, await store.submissions.find(paramsOf(request).id))

    /** What stands for a flood: nothing with credentials; otherwise a challenge that was solved. Throws 403. */
    async function proofOf({ caller }: FastifyRequest, { challenge, nonce }: Sent) {
      if (caller) return { isProven: undefined }
      const isOurs = challenge && nonce && (await challenges.ageOf(challenge)) !== undefined
      if (isOurs && (await store.submissions.isProven(challenge, nonce))) return { isProven: true, challenge }
      throw new ApiError(
        'submission_proof_required',
        'Get a `challenge` from /submissions/challenge, and send it with the `nonce` that solves it; or send credentials.',
      )
    }

    app.route({
      method: 'POST',
      url: '/submissions',
      config: { operation: 'create' },
      schema: {
        operationId: 'createSubmission',
        tags: [TAG],
        summary: 'Propose an event',
        description:
          'Takes an event for the editors to decide on; until then nobody else sees it. Anyone may do so if the operator set `SUBMISSIONS=on`; otherwise it is 404. Without credentials it takes a `challenge` of `GET /submissions/challenge` with its `nonce`, and one address may send 6 an hour and 20 a day. The answer has the address at which it is corrected or withdrawn.',
        body: Type.Ref('SubmissionInput') as TSchema,
        ...responses(
          'create',
          'NewSubmission',
          ['rest_no_route', 'empty_content', 'submission_proof_required'],
          {
            signedIn: false,
          },
        ),
      },
      preValidation: mergeParameters,
      async handler(request, reply) {
        const input = request.body as Sent
        const proof = await proofOf(request, input)
        const language = input.i18n_language ?? service.language(request) ?? site.languages[0]!
        const key = await receiving.receive(request, { input, ...proof }, language)
        const url = receiving.addressOf(key, language)
        if (url) reply.header('location', url)
        const made = { state: 'waiting', ...(url && { url }) }
        return bodyOf(request, reply.code(201).header('cache-control', 'no-store'), [
          Buffer.from(JSON.stringify(made)),
        ])
      },
    })
    app.route({
      method: 'GET',
      url: '/submissions/challenge',
      // without an operation no cache keeps it
      config: { costs: true },
      schema: {
        operationId: 'getSubmissionChallenge',
        tags: [TAG],
        summary: 'Get a challenge',
        description:
          'Returns a text for `POST /submissions`. Find a `nonce` with which the SHA-256 of `challenge.nonce`, as UTF-8 with the dot between them, begins with `bits` zero bits: count up until one does. The challenge works once.',
        querystring: Type.Object(Fields),
        ...responses('read', 'SubmissionChallenge', ['rest_no_route'], { except: ['rest_forbidden'] }),
      },
      async handler(request, reply) {
        const { challenge, expires_utc } = await challenges.issue()
        const made = { challenge, bits: await store.submissions.bits(), expires_utc }
        return bodyOf(request, reply.header('cache-control', 'no-store'), [Buffer.from(JSON.stringify(made))])
      },
    })

    list({
      kind: 'submission',
      plural: 'submissions',
      url: '/submissions',
      operationId: 'listSubmissions',
      summary: 'List submissions',
      description:
        'Returns what was proposed, the latest first, with who proposed it and events that are perhaps the same. Requires the role `editor`. With `SUBMISSIONS=off` it is 404.',
      errors: ['rest_no_route', 'submission-archive-page-not-found'],
      answer: 'SubmissionPage',
      query: SubmissionQuery,
      async find(paging, _params, request) {
        const { state } = request.query as SubmissionQuery
        const { rows, total } = await store.submissions.list({ ...paging, state })
        return { rows: await Promise.all(rows.map((row) => show(request, row))), total }
      },
    })
    add({
      method: 'GET',
      url: '/submissions/:id',
      operation: 'read',
      operationId: 'getSubmission',
      summary: 'Read a submission by ID',
      description:
        'Returns what was proposed. The event itself is read by its ID. Requires the role `editor`.',
      errors: ['submission-not-found', 'rest_no_route'],
      answer: 'Submission',
      handle: one,
    })
    for (const [verb, { state, ...said }] of Object.entries(DECISIONS))
      add({
        method: 'POST',
        url: `/submissions/:id/${verb}`,
        operation: 'update',
        operationId: `${verb}Submission`,
        ...said,
        errors: [
          'submission-not-found',
          ...(['submission_decided', 'submission_changed'] as const),
          'rest_no_route',
          ...(state === 'asked' ? (['rest_missing_callback_param', 'submission_forgotten'] as const) : []),
        ],
        answer: 'Submission',
        body: 'SubmissionDecision',
        async handle(request) {
          const given = request.body as { reply?: string | null; seen?: string | null }
          if (state === 'asked' && !given.reply?.trim()) throw missing(['reply'])
          const from = { by: actorOf(request), language: site.languages[0]! }
          await store.submissions.decide(paramsOf(request).id, state, given, from, receiving.notify)
          return one(request)
        },
      })
  })
