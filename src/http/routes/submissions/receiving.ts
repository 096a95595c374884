import type { FastifyRequest } from 'fastify'
import type { SubmissionInput } from '../../../../schemas/submission.ts'
import { pageOf } from '../../../formats/html/view.ts'
import { withoutLinks } from '../../../formats/mail/mail.ts'
import { submissionMail } from '../../../formats/mail/submissions/submissions.ts'
import { isMailAddress } from '../../../rules/people.ts'
import type { SubmissionNews, Telling } from '../../../store/store.ts'
import { invalid } from '../../../support/errors.ts'
import { actorOf } from '../../access/audit.ts'
import { clientOf, tooMany } from '../../limits/limits.ts'
import { openQuotas } from '../../limits/quotas.ts'
import type { Service } from '../../resource/service.ts'

/** Submissions of one address with a proof of work, and without, and of all addresses without one. */
const PROVEN = { hour: 6, day: 20 }
const UNPROVEN = { hour: 2, day: 4 }
const ALL_UNPROVEN = { hour: 20, day: 100 }
const ALL = 'all'
/** Mails to one recipient about submissions that have come, as whoever fills in the form may name anybody. */
const MAILED = { hour: 3, day: 6 }

/** The picture that comes with a form. */
export type SentPicture = { bytes: Buffer; name: string }
/** What is sent: how it was shown that it is no flood, and with what stamp. */
type Sent = {
  input: SubmissionInput
  picture?: SentPicture | undefined
  stamp?: string | undefined
  /** Whether work was proven; undefined for callers with credentials, whom no quota limits. */
  isProven: boolean | undefined
}

/** The path of the page of a submission, below the language. */
export const submissionPath = (key: string) => `/events/submit/${key}/`

/** Takes submissions, from programs and from the page alike: limits, pictures and mails are the same. */
export function openReceiving(service: Service) {
  const { store, site, pages, pictures, sendsMail, tellEditors, base } = service
  const proven = openQuotas(PROVEN, site.clock)
  const unproven = openQuotas(UNPROVEN, site.clock)
  const all = openQuotas(ALL_UNPROVEN, site.clock)
  const mailed = openQuotas(MAILED, site.clock)

  /** The address of the page on which a submission is corrected; undefined without pages. */
  const addressOf = (key: string, language: string) =>
    pages && base + (language === site.languages[0] ? '' : `/${language}`) + submissionPath(key)

  /** The mail about a submission, if mail is sent at all. */
  const tell: Telling = ({ what, submission, event, key }: SubmissionNews) => {
    if (!sendsMail || submission.email === '') return undefined
    const { language, name, email, reply } = submission
    const isNew = what === 'received'
    const recipient = email.toLowerCase()
    if (isNew && mailed.wait(recipient) > 0) return undefined
    if (isNew) mailed.take(recipient)
    const texts = isNew
      ? { name: withoutLinks(name), title: withoutLinks(event.title) }
      : { name, title: event.title }
    const link =
      key !== undefined
        ? addressOf(key, language)
        : what === 'accepted' && pages
          ? `${base}${pageOf({ kind: 'event', slug: String(event.id) })}`
          : undefined
    const told = { ...texts, what, language, reply, link }
    return submissionMail({ ...told, recipient: email, site: service.look().name })
  }

  /** Seconds until somebody may submit again. */
  function waitOf(request: FastifyRequest, isProven: boolean): number {
    const client = clientOf(request)
    return isProven ? proven.wait(client) : Math.max(unproven.wait(client), all.wait(ALL))
  }
  /** Notes that somebody submits. Returns a function that takes the note back. */
  function count(request: FastifyRequest, isProven: boolean): () => void {
    const client = clientOf(request)
    if (isProven) return proven.take(client)
    const undo = [unproven.take(client), all.take(ALL)]
    return () => {
      for (const one of undo) one()
    }
  }

  /** Runs a write with the files of a picture, which are deleted again if it fails. */
  async function withPicture<T>(
    sent: SentPicture | undefined,
    write: (picture?: Awaited<ReturnType<typeof pictures.take>>) => Promise<T>,
  ) {
    const picture = sent && (await pictures.take(sent.bytes, sent.name))
    try {
      return await write(picture)
    } catch (error) {
      if (picture) await pictures.drop(picture)
      throw error
    }
  }
  /** Patterns of the document are for clients: what is read is checked here. */
  const check = ({ email }: SubmissionInput) => {
    if (!isMailAddress(email))
      throw invalid({ email: 'must be one address of mail, such as anna@people.example.' })
  }

  return {
    tell,
    addressOf,
    waitOf,
    /** Takes a submission and returns its key. Throws 429 for too many of an address, and what the store throws. */
    async receive(
      request: FastifyRequest,
      { input, picture: sent, stamp, isProven }: Sent,
      language: string,
    ) {
      check(input)
      const wait = isProven === undefined ? 0 : waitOf(request, isProven)
      if (wait > 0) throw tooMany(wait)
      // before anything is awaited, so that many at once are not let in together
      const undo = isProven === undefined ? () => {} : count(request, isProven)
      const from = { by: actorOf(request), language }
      try {
        return await withPicture(sent, (picture) =>
          store.submissions.receive({ input, picture, stamp }, from, { tell, tellEditors }),
        )
      } catch (error) {
        undo()
        throw error
      }
    },
    /** Changes a submission by its key, but for the members of its event that are kept. */
    async correct(
      request: FastifyRequest,
      key: string,
      { input, picture: sent, kept }: Pick<Sent, 'input' | 'picture'> & { kept: readonly string[] },
      language: string,
    ) {
      check(input)
      await withPicture(sent, (picture) =>
        store.submissions.correct(key, { input, picture, kept }, { by: actorOf(request), language }),
      )
      await pictures.eraseDeleted()
    },
    /** Takes a submission back by its key. */
    async withdraw(request: FastifyRequest, key: string, language: string) {
      await store.submissions.withdraw(key, { by: actorOf(request), language })
      await pictures.eraseDeleted()
    },
  }
}
export type Receiving = ReturnType<typeof openReceiving>
