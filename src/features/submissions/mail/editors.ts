import { fill, type Mail, withoutLinks } from '../../../kernel/outbound/mail.ts'
import type { MailWords } from './en.ts'
import { wordsIn } from './submissions.ts'

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
