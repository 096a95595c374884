import type { FastifyRequest } from 'fastify'
import type { SubmissionInput } from '../../../schemas/submission.ts'
import { pageOf } from '../../calendar/formats/urls.ts'
import { turnOf } from '../../calendar/media/pictures.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { type Counted, countedOf, mailboxOf } from '../../kernel/access/quotas.ts'
import { isMailAddress } from '../../kernel/access/users.ts'
import { type ApiError, invalid } from '../../kernel/errors.ts'
import { withoutLinks } from '../../kernel/outbound/mail.ts'
import { clientOf, tooMany } from '../../kernel/rate-limits.ts'
import { type SubmissionSettings, submissionMail } from './mail.ts'
import type { Notice, SubmissionNews } from './rows.ts'
import { PROVEN } from './store.ts'

/** Submissions with a proof of work, and without, of the networks of a client from its own to wider ones. */
const PROVEN_OF = [
  { hour: 6, day: 20 },
  { hour: 30, day: 100 },
  { hour: 120, day: 400 },
]
const UNPROVEN_OF = [
  { hour: 2, day: 4 },
  { hour: 10, day: 20 },
  { hour: 20, day: 50 },
]
const UNPROVEN: Counted = { what: 'unproven submissions' }
/** Once so many came without a proof within an hour, each network has one a day without it: nobody is refused by others' use alone. */
const CROWD = 20
const ONE_A_DAY = { hour: 1, day: 1 }
/** Mails about submissions that have come: to one mailbox, as whoever fills in the form may name anybody, and in all. */
const MAILED = { hour: 3, day: 6 }
const MAILS: Counted = { what: 'mails about submissions', quota: { hour: 60, day: 400 } }
/** Corrections of one address. */
const CORRECTIONS = { hour: 20, day: 60 }

/** The picture that comes with a form. */
export type SentPicture = { bytes: Buffer; name: string }
/** What is sent: how it was shown that it is no flood, and with what challenge. */
type Sent = {
  input: SubmissionInput
  picture?: SentPicture | undefined
  challenge?: string | undefined
  /** Whether work was proven; undefined for callers with credentials, whom no quota limits. */
  isProven: boolean | undefined
}

/** The path of the page of a submission, below the language. */
export const submissionPath = (key: string) => `/events/submit/${key}/`

/** Takes submissions, from programs and from the page alike: limits, pictures and mails are the same. */
export function openReceiving(
  service: Service,
  { notifyEditors }: Pick<SubmissionSettings, 'notifyEditors'>,
) {
  const { store, site, pageLanguages: pages, pictures, sendsMail, base } = service
  /** The address of the page on which a submission is corrected; undefined without pages. */
  const addressOf = (key: string, language: string) =>
    pages && base + (language === site.languages[0] ? '' : `/${language}`) + submissionPath(key)

  /** The mail about a submission, if mail is sent at all. */
  const notify: Notice = ({ what, submission, event, key }: SubmissionNews) => {
    if (!sendsMail || submission.email === '') return undefined
    const { language, name, email, reply } = submission
    const texts =
      what === 'received'
        ? { name: withoutLinks(name), title: withoutLinks(event.title) }
        : { name, title: event.title }
    const link =
      key !== undefined
        ? addressOf(key, language)
        : what === 'accepted' && pages
          ? `${base}${pageOf({ kind: 'event', slug: String(event.id) })}`
          : undefined
    const content = { ...texts, what, language, reply, link }
    return submissionMail({ ...content, recipient: email, site: service.branding().name })
  }

  /** What a submission takes of a client; nothing of one with credentials, beside the mails that it makes. */
  async function costOf(request: FastifyRequest, { input: { email }, challenge, isProven }: Sent) {
    const isMailed = sendsMail && email !== ''
    const mailed = isMailed ? [{ what: `mails to ${mailboxOf(email)}`, quota: MAILED }, MAILS] : []
    if (isProven === undefined) return { challenge, mailed, counted: [] }
    if (isProven) return { challenge, mailed, counted: [...countedOf(request, 'proven', PROVEN_OF), PROVEN] }
    const isCrowd = (await store.submissions.withinHour(UNPROVEN)) >= CROWD
    const quotas = isCrowd ? [ONE_A_DAY, ...UNPROVEN_OF.slice(1)] : UNPROVEN_OF
    return { challenge, mailed, counted: [...countedOf(request, 'unproven', quotas), UNPROVEN] }
  }

  /** Runs a write with the files of a picture, which are deleted again if it fails. */
  async function withPicture<T>(
    sent: SentPicture | undefined,
    { caller }: Pick<FastifyRequest, 'caller'>,
    write: (picture?: Awaited<ReturnType<typeof pictures.upload>>) => Promise<T>,
  ) {
    const picture = sent && (await pictures.upload(sent.bytes, sent.name, turnOf(caller)))
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
    notify,
    addressOf,
    /**
     * Takes a submission and returns its key. What is cheap is looked at first. What was spent comes back if it was taken in vain, but not once a
     * picture was processed for it. Throws 429 for too many of a client, and what the store throws.
     */
    async receive(request: FastifyRequest, sent: Sent, language: string) {
      const { input, picture } = sent
      check(input)
      if (picture) await pictures.check(picture.bytes)
      const { wait, mayMail, release } = await store.submissions.consumeQuotas(await costOf(request, sent))
      if (wait > 0) throw tooMany(wait)
      const from = { by: actorOf(request), language }
      const notices = { notify: mayMail ? notify : () => undefined, notifyEditors }
      try {
        return await withPicture(picture, request, (made) =>
          store.submissions.receive({ input, picture: made }, from, notices),
        )
      } catch (error) {
        if (!picture || (error as ApiError).status !== 400) await release!()
        throw error
      }
    },
    /** Changes a submission by its key, but for the members of its event that are kept. Throws 429 for too many of a client. */
    async correct(
      request: FastifyRequest,
      key: string,
      { input, picture: sent, kept }: Pick<Sent, 'input' | 'picture'> & { kept: readonly string[] },
      language: string,
    ) {
      check(input)
      if (sent) await pictures.check(sent.bytes)
      const counted = [{ what: `corrections ${clientOf(request)}`, quota: CORRECTIONS }]
      const { wait } = await store.submissions.consumeQuotas({ counted, mailed: [] })
      if (wait > 0) throw tooMany(wait)
      await withPicture(sent, request, (picture) =>
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
