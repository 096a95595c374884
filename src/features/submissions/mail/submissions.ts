import { fill, type Mail } from '../../../kernel/outbound/mail.ts'
import { ca } from './ca.ts'
import { en, type MailWords } from './en.ts'
import { es } from './es.ts'

const WORDS: Record<string, MailWords> = { en, ca, es }
/** The words of a language; those of English for a language without own ones. */
export const wordsIn = (language: string): MailWords => WORDS[language.split('-')[0]!] ?? en

/** What became of a submission, as its mail tells it. */
type News = {
  what: 'received' | 'asked' | 'accepted' | 'refused'
  recipient: string
  language: string
  site: string
  name: string
  title: string
  /** What the editors write; empty for nothing. */
  reply: string
  /** The page on which it is corrected, or the page of the event; undefined without one. */
  link: string | undefined
}

/** A mail to who proposed an event; English for a language without own words. */
export function submissionMail({ what, recipient, language, site, name, title, reply, link }: News): Mail {
  const words = wordsIn(language)
  const filled = (key: keyof MailWords) => fill(words[key], { name, title, site })
  const asks = what === 'asked'
  const quoted = reply === '' ? [] : [...(asks ? [] : [filled('reply')]), reply]
  const linked =
    link === undefined ? [] : [...(what === 'received' || asks ? [filled(`${what}_link`)] : []), link]
  const parts = [filled('hello'), filled(what), ...quoted, ...linked, filled('ignore')]
  return { recipient, subject: filled(`${what}_subject`), text: `${parts.join('\n\n')}\n` }
}
