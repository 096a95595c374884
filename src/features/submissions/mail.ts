import ca from '../../../words/ca/submissions-mail.json' with { type: 'json' }
import en from '../../../words/en/submissions-mail.json' with { type: 'json' }
import es from '../../../words/es/submissions-mail.json' with { type: 'json' }
import { fill, type Mail, withoutLinks } from '../../kernel/outbound/mail.ts'
import { inLanguage } from '../../kernel/text/words.ts'

/** What mails to people who propose events and to editors say; texts in braces are filled in. */
type MailWords = Record<keyof typeof en, string>
const WORDS: Record<string, MailWords> = { en, ca, es }
/** The words of a language; those of English for a language without own ones. */
const wordsIn = (language: string): MailWords => inLanguage(WORDS, language) ?? en

/** What became of a submission, as its mail says it. */
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

/** Titles that a mail has; of more it tells the number. */
const TITLES = 20

type Editors = {
  recipients: readonly string[]
  language: string
  /** The queue of the desk; undefined without a desk. */
  link: string | undefined
  /** The name of the calendar, as it is by now. */
  site(): string
}

/** The mails, one for each address, that tell editors what was proposed and how many wait. */
export const openEditorsMail =
  ({ recipients, language, link, site }: Editors) =>
  ({ titles, waiting }: { titles: string[]; waiting: number }): Mail[] => {
    const words = wordsIn(language)
    const more = titles.length - TITLES
    const values = { site: site(), waiting: String(waiting), more: String(more) }
    const filled = (key: keyof MailWords) => fill(words[key], values)
    const lines = titles.slice(0, TITLES).map((title) => fill('- {title}', { title: withoutLinks(title) }))
    const parts = [
      filled('editors'),
      [...lines, ...(more > 0 ? [filled('editors_more')] : [])].join('\n'),
      filled('editors_waiting'),
      ...(link === undefined ? [] : [`${filled('editors_link')}\n${link}`]),
      filled('editors_often'),
    ]
    const mail = { subject: filled('editors_subject'), text: `${parts.join('\n\n')}\n` }
    return recipients.map((recipient) => ({ recipient, ...mail }))
  }
