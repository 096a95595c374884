import ca from '../../../words/ca/accounts-mail.json' with { type: 'json' }
import en from '../../../words/en/accounts-mail.json' with { type: 'json' }
import es from '../../../words/es/accounts-mail.json' with { type: 'json' }
import { composeMail, type Mail } from '../../kernel/outbound/mail.ts'

/** Letters about accounts: `{site}` is the name of the calendar, `{login}` the login of the user, `{link}` a link that works once. */
type AccountLetters = typeof en
const LETTERS: { en: AccountLetters } & Record<string, AccountLetters> = { en, ca, es }
type Person = { login: string; name: string; email: string }

/** A letter to a person about their account. `site` is the name of the calendar, `link` the page where it goes on. */
export const accountMail = (
  letter: keyof AccountLetters,
  { login, name, email }: Person,
  { site, language, link = '' }: { site: string; language: string; link?: string },
): Mail =>
  composeMail(
    LETTERS,
    { letter, language, recipient: email },
    { site, login, link, name: name === '' ? login : name },
  )
