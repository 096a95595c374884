import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventRecord, VenueRecord } from '../../calendar/formats/records.ts'
import { family } from '../../calendar/resource/service.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fill } from '../../kernel/text/words.ts'
import { linkTo, pathOf, routesOf, sendPage, untilWritten, type View } from '../pages/page.ts'
import {
  type Form,
  inputOf,
  PICTURE,
  problemsOf,
  readForm,
  type SentForm,
  type SubmissionStatus,
  shownIn,
  submitPage,
  submittedPage,
  typedIn,
  typedOf,
  untouched,
} from './form.ts'
import type { SubmissionSettings } from './mail.ts'
import { openReceiving, submissionPath } from './receiving.ts'
import type { Submission } from './rows.ts'

/** Milliseconds that a person needs for the form at least. */
const QUICK = 3_000
/** Greatest size of a whole form, in bytes. */
const MOST = PICTURE + 2 ** 20
/** Categories to choose from, and places that are suggested. */
const CATEGORIES = 100
const PLACES = 200

/** What makes a form be shown again. */
type Rejection = Pick<Form, 'problems' | 'trouble'> & { status: number; wait?: number; isOld?: boolean }

/** `/events/submit/`, where visitors propose events, and the page of each of them, for whoever has its address. It needs no script. */
export const submissionPages = (settings: SubmissionSettings) =>
  family('pages of submissions', async (app, service) => {
    if (!settings.isOn) return
    const { store, site, sendsMail } = service
    const { viewIn, front } = app.pages!
    const receiving = openReceiving(service, settings)
    const { challenges, bits } = store.submissions

    /** What people choose from in a language. */
    const choicesIn = untilWritten(service, async (language) => {
      const byName = {
        page: 1,
        per_page: CATEGORIES,
        orderby: 'name',
        order: 'asc',
        hide_empty: false,
      } as const
      const { ids } = await store.categories.list({ ...byName, language }, undefined)
      const newest = { page: 1, per_page: PLACES, only_with_upcoming: false }
      const places = await store.venues.list(newest, undefined)
      const found = (await store.records.posts(places.ids, { caller: undefined })) as VenueRecord[]
      const venues = [...new Set(found.map(({ title }) => title))].sort()
      return { categories: await store.records.terms(ids), venues }
    })
    /** The form with what people choose from; with `challenge` it is sent with that again. */
    async function formOf(
      view: View,
      form: Pick<Form, 'typed' | 'problems' | 'trouble' | 'was'>,
      challenge?: string,
    ): Promise<Form> {
      return {
        ...form,
        challenge: challenge ?? (await challenges.issue()).challenge,
        bits: await bits(),
        ...(await choicesIn(view.language)),
        zone: site.zone,
        days: settings.days,
      }
    }
    const busy = (view: View, seconds: number): Rejection => ({
      status: 429,
      wait: seconds,
      problems: {},
      trouble: fill(view.words.submit_busy, { minutes: Math.ceil(seconds / 60) }),
    })
    /** Why a form is shown again, from an error that says so; throws others. */
    function rejectionFor(view: View, error: unknown): Rejection {
      if (!(error instanceof ApiError)) throw error
      const { status, code, data } = error
      if (code === 'submission_proof_required')
        return { status: 400, problems: {}, trouble: view.words.submit_old, isOld: true }
      if (status === 429) return busy(view, data.retry_after as number)
      if (status === 400 && data.params)
        return { status, problems: problemsOf(data.params as object as Record<string, unknown>) }
      throw error
    }
    const setStatus = (reply: FastifyReply, { status, wait }: Rejection) => {
      reply.code(status)
      if (wait !== undefined) reply.header('retry-after', String(wait))
    }
    const unshown = (reply: FastifyReply) =>
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })

    /** Takes a form; gives the key of the submission, or why the form is shown again. */
    async function accept(view: View, request: FastifyRequest, sent: SentForm): Promise<string | Rejection> {
      const { typed, picture } = sent
      const challenge = typed.challenge ?? ''
      if (typed.reason) return { status: 400, problems: {}, trouble: view.words.submit_trap }
      const age = await challenges.ageOf(challenge)
      if (age === undefined) return { status: 400, problems: {}, trouble: view.words.submit_old, isOld: true }
      if (age < QUICK) return { status: 400, problems: {}, trouble: view.words.submit_quick }
      const { input, problems } = inputOf(sent, site.languages)
      if (Object.keys(problems).length > 0) return { status: 400, problems }
      try {
        const isProven = await store.submissions.isProven(challenge, typed.nonce ?? '')
        return await receiving.receive(request, { input, picture, challenge, isProven }, view.language)
      } catch (error) {
        // the challenge of a picture that was looked at is spent
        return { ...rejectionFor(view, error), ...(picture && { isOld: true }) }
      }
    }

    /** The submission of a key. Throws 404 for one that is none, or has ended. */
    async function find(key: string) {
      const found = await store.submissions.byKey(key)
      if (!found) throw new ApiError('rest_no_route', 'There is no such submission.', { submission: 'gone' })
      return found
    }
    /** The page of a submission. */
    async function show(
      view: View,
      request: FastifyRequest,
      key: string,
      rejection?: { sent: SentForm; why: Rejection },
    ) {
      const { submission, isOpen } = await find(key)
      const isNew = request.originalUrl.endsWith('?new')
      const what = statusOf(submission, isOpen, isNew)
      const [event] = submission.state === 'accepted' ? await store.published([submission.event_id]) : []
      const status: SubmissionStatus = {
        what,
        reply: submission.reply,
        mailed: sendsMail,
        path: pathOf(view, submissionPath(key)),
        event: event?.status === 'publish' ? linkTo(view, event) : undefined,
      }
      const form = isOpen ? await formOf(view, await correctionOf(submission, rejection)) : undefined
      return submittedPage(view, submission.title, status, form && { ...form, bits: undefined })
    }
    /** The form of a correction: as it was sent before, or with what is stored. */
    async function correctionOf(submission: Submission, rejection?: { sent: SentForm; why: Rejection }) {
      if (rejection)
        return { typed: typedIn(rejection.sent), was: rejection.sent.typed.was, ...rejection.why }
      const typed = await storedIn(submission)
      return { typed, problems: {}, was: JSON.stringify(typed) }
    }
    async function storedIn(submission: Submission) {
      const { author_id: id } = (await store.posts.byId('event', submission.event_id))!
      const caller = { id, role: 'contributor' } as const
      const [event] = (await store.records.posts([submission.event_id], { caller })) as [EventRecord]
      return typedOf(submission, event)
    }

    for (const { url, language } of routesOf(service, '/events/submit')) {
      const routing = { schema: { hide: true } } as const
      app.get(url, { ...routing, config: { page: 'calendar', costs: true } }, async (_request, reply) => {
        reply.header('cache-control', 'no-store')
        const view = viewIn(language)
        return sendPage(reply, submitPage(view, await formOf(view, { typed: {}, problems: {} })))
      })
      app.post(
        url,
        { ...routing, bodyLimit: MOST, config: { page: 'calendar', operation: 'create' } },
        async (request, reply) => {
          unshown(reply)
          const view = viewIn(language)
          const sent = await readForm(request)
          const accepted = await accept(view, request, sent)
          if (typeof accepted === 'string')
            return reply.redirect(`${pathOf(view, submissionPath(accepted))}?new`, 303)
          setStatus(reply, accepted)
          const form = { typed: typedIn(sent), ...accepted }
          return sendPage(
            reply,
            submitPage(view, await formOf(view, form, accepted.isOld ? undefined : sent.typed.challenge)),
          )
        },
      )
      app.get(
        `${url}/:key`,
        { ...routing, config: { page: 'calendar', costs: true } },
        async (request, reply) => {
          unshown(reply)
          return sendPage(reply, await show(viewIn(language), request, keyOf(request)))
        },
      )
      app.post(
        `${url}/:key`,
        {
          ...routing,
          bodyLimit: MOST,
          config: { page: 'calendar', operation: 'create' },
          // nothing is read for whoever has no key
          preParsing: async (request) => void (await find(keyOf(request))),
        },
        async (request, reply) => {
          unshown(reply)
          const view = viewIn(language)
          const key = keyOf(request)
          const rejection = await change(view, request, key)
          if (!rejection) return reply.redirect(pathOf(view, submissionPath(key)), 303)
          setStatus(reply, rejection.why)
          return sendPage(reply, await show(view, request, key, rejection))
        },
      )
    }

    /** Corrects or withdraws a submission. Gives why the form is shown again; nothing if it was done, or can not be done any more. */
    async function change(view: View, request: FastifyRequest, key: string) {
      const sent = await readForm(request)
      const { language } = view
      const { submission, isOpen } = await find(key)
      try {
        if (sent.typed.withdraw) return void (await receiving.withdraw(request, key, language))
        const { input, problems } = inputOf(sent, front.languages)
        if (Object.keys(problems).length > 0) return { sent, why: { status: 400, problems } }
        const kept = isOpen ? untouched(typedIn(sent), shownIn(sent) ?? (await storedIn(submission))) : []
        await receiving.correct(request, key, { input, picture: sent.picture, kept }, language)
        return undefined
      } catch (error) {
        // the page says how it stands
        if (error instanceof ApiError && error.code === 'submission_decided') return undefined
        return { sent, why: rejectionFor(view, error) }
      }
    }
  })

const keyOf = (request: FastifyRequest) => (request.params as { key: string }).key

function statusOf({ state }: Submission, isOpen: boolean, isNew: boolean): SubmissionStatus['what'] {
  if (isOpen) return state === 'waiting' && isNew ? 'received' : (state as 'waiting' | 'asked')
  return state === 'waiting' || state === 'asked' ? 'closed' : state
}
