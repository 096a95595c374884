import { composeMail, type Mail } from '../../../kernel/outbound/mail.ts'
import { ca } from './ca.ts'
import { type AccountLetters, en } from './en.ts'
import { es } from './es.ts'

const LETTERS = { en, ca, es }
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
