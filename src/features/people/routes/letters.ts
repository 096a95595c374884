import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import type { Service } from '../../../calendar/resource/service.ts'
import { accountMail } from '../mail.ts'
import type { Letter } from '../store/people.ts'

/** The languages that mail is written in. */
const LANGUAGES = ['en', 'ca', 'es']

/** Letters about accounts, with links to pages of the desk. Each is undefined where no mail is sent. */
export function openLetters({ base, branding, site, sendsMail }: Service) {
  const standard = site.languages[0]!
  /** The page of the desk for a link; what stands behind `#` reaches no server and no log. */
  const pageOf = (place: string) => `${base}/desk/#/${place}`
  /** The language of the browser that asks, or that of the site. */
  const languageOf = ({ headers }: FastifyRequest) =>
    (headers['accept-language'] && new Negotiator({ headers }).language(LANGUAGES)) || standard
  const write = (
    letter: Parameters<typeof accountMail>[0],
    language: string,
    place: (ticket: string) => string,
  ): Letter =>
    sendsMail
      ? (user, ticket) =>
          accountMail(letter, user, { site: branding().name, language, link: pageOf(place(ticket)) })
      : undefined
  return {
    /** The link of an invitation. */
    invitationUrl: (ticket: string) => pageOf(`invitation/${ticket}`),
    invitation: write('invitation', standard, (ticket) => `invitation/${ticket}`),
    reset: (request: FastifyRequest) => write('reset', languageOf(request), (ticket) => `reset/${ticket}`),
    changed: (request: FastifyRequest) => write('changed', languageOf(request), () => 'forgot'),
    /** To the address that a user had before. */
    moved: write('moved', standard, () => ''),
  }
}
