import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import ca from '../../../words/ca/accounts-mail.json' with { type: 'json' }
import en from '../../../words/en/accounts-mail.json' with { type: 'json' }
import es from '../../../words/es/accounts-mail.json' with { type: 'json' }
import type { Service } from '../../calendar/resource/service.ts'
import type { User } from '../../kernel/access/users.ts'
import { composeMail, type Mail } from '../../kernel/outbound/mail.ts'

/** Letters about accounts: `{site}` is the name of the calendar, `{login}` the login of the user, `{link}` a link that works once. */
type AccountLetters = typeof en
const LETTERS: { en: AccountLetters } & Record<string, AccountLetters> = { en, ca, es }

/** A user with an address of mail. */
type Reachable = User & { email: string }
/** Writes a letter to a user, with a link that has the ticket; undefined where no mail is sent. */
export type Letter = ((user: Reachable, ticket: string) => Mail) | undefined

/** A letter to a person about their account. `site` is the name of the calendar, `link` the page where it goes on. */
export const accountMail = (
  letter: keyof AccountLetters,
  { login, name, email }: Pick<Reachable, 'login' | 'name' | 'email'>,
  { site, language, link = '' }: { site: string; language: string; link?: string },
): Mail =>
  composeMail(
    LETTERS,
    { letter, language, recipient: email },
    { site, login, link, name: name === '' ? login : name },
  )

/** Letters about accounts, with links to pages of the desk. Each is undefined where no mail is sent. */
export function openLetters({ base, branding, site, sendsMail }: Service) {
  const standard = site.languages[0]!
  /** The page of the desk for a link; what stands behind `#` reaches no server and no log. */
  const pageOf = (place: string) => `${base}/desk/#/${place}`
  /** The language of the browser that asks, or that of the site. */
  const languageOf = ({ headers }: FastifyRequest) =>
    (headers['accept-language'] && new Negotiator({ headers }).language(Object.keys(LETTERS))) || standard
  const write = (
    letter: keyof AccountLetters,
    language: string,
    place: (ticket: string) => string,
  ): Letter =>
    sendsMail
      ? (user, ticket) =>
          accountMail(letter, user, { site: branding().name, language, link: pageOf(place(ticket)) })
      : undefined
  const invitation = (ticket: string) => `invitation/${ticket}`
  return {
    /** The link of an invitation. */
    invitationUrl: (ticket: string) => pageOf(invitation(ticket)),
    invitation: write('invitation', standard, invitation),
    reset: (request: FastifyRequest) => write('reset', languageOf(request), (ticket) => `reset/${ticket}`),
    changed: (request: FastifyRequest) => write('changed', languageOf(request), () => 'forgot'),
    /** To the address that a user had before. */
    moved: write('moved', standard, () => ''),
  }
}
