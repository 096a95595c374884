import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { isMailAddress } from '../access/users.ts'
import { withoutControls } from '../text/text.ts'

/** A mail as it is sent, to one recipient. `id` is the same at every try, so that receivers know a mail that came twice. */
export type Letter = { id: string } & Mail

/** What became of a mail: sent, refused for good for what it is or to whom, or to be tried again. `isAway`: the server takes nothing now. */
export type Posted =
  | { outcome: 'sent' }
  | { outcome: 'refused'; why: object }
  | { outcome: 'failed'; isAway: boolean; why: object }

/** How mail is sent: by what server, from whom; and for tests, how long one waits and whose certificates are believed. */
export type PostOffice = {
  url: string
  from: string
  timeout?: number | undefined
  tls?: Pick<ConnectionOptions, 'ca'> | undefined
}

type Server = {
  host: string
  port: number
  secure: boolean
  requireTLS: boolean
  ignoreTLS: boolean
  auth?: { user: string; pass: string }
}

const STARTTLS = ['required', 'offered', 'off']

/**
 * A server of mail from its URL: smtps begins with TLS, smtp goes over to it by STARTTLS. `?starttls=` is required (without one, but for
 * this machine), offered, or off. Undefined if it is no such URL.
 */
export function readMailServer(text: string): Server | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(text)
  const isSecure = protocol === 'smtps:'
  if ((!isSecure && protocol !== 'smtp:') || hostname === '' || pathname.length > 1 || hash) return undefined
  if ([...searchParams.keys()].some((name) => name !== 'starttls' || isSecure)) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  const starttls = searchParams.get('starttls') ?? (isHere(host) ? 'off' : 'required')
  if (!STARTTLS.includes(starttls)) return undefined
  try {
    const auth = username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    return {
      ...{ host, port: Number(port) || (isSecure ? 465 : 587), secure: isSecure },
      ...{ requireTLS: !isSecure && starttls === 'required', ignoreTLS: !isSecure && starttls === 'off' },
      ...(auth && { auth }),
    }
  } catch {
    return undefined // an escape that is none
  }
}
const isHere = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** A name and an address, `Calendar <calendar@example.org>`, or the address alone; undefined for anything else. */
export function readSender(text: string): { name: string; address: string } | undefined {
  const [, name, inner, alone] = /^(?:([^<>"\r\n]*?)\s*<([^<>]*)>|([^<>]*))$/.exec(text.trim()) ?? []
  const address = inner ?? alone
  return address !== undefined && isMailAddress(address) ? { name: name ?? '', address } : undefined
}

type Failure = { code?: string; command?: string; responseCode?: number; message: string }

/** Milliseconds until a server that does not answer counts as away. */
const TIMEOUT = 20_000

/** Sends mail by a server, over one connection that is kept for a while. The library is loaded at the first mail. */
export function openPost({ url, from, timeout = TIMEOUT, tls }: PostOffice) {
  const server = readMailServer(url)!
  const sender = readSender(from)!
  const domain = sender.address.split('@')[1]!
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      ...{ ...server, pool: true, maxConnections: 1, tls: { ...tls, minVersion: 'TLSv1.2' } },
      ...{
        connectionTimeout: timeout,
        greetingTimeout: timeout,
        socketTimeout: timeout,
        dnsTimeout: timeout,
      },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
  }
  let opened: ReturnType<typeof open> | undefined
  const cut = new AbortController()

  return {
    async send({ id, recipient, subject, text, html, headers }: Letter): Promise<Posted> {
      // the library would read several addresses in a text that has commas
      if (!isMailAddress(recipient)) return { outcome: 'refused', why: { code: 'no_address' } }
      try {
        opened ??= open()
        const transport = await opened
        await transport.sendMail({
          from: sender,
          // an object is one address, whatever it looks like; a text may be several
          to: { name: '', address: recipient },
          envelope: { from: sender.address, to: [recipient] },
          ...{ subject, text, ...(html && { html }), messageId: `<${id}@${domain}>` },
          // a server that answers a little at a time keeps no other mail for long
          signal: AbortSignal.any([cut.signal, AbortSignal.timeout(3 * timeout)]),
          // so that no program answers (RFC 3834)
          headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
        })
        return { outcome: 'sent' }
      } catch (error) {
        return judge(error as Failure)
      }
    },
    /** Ends the connection, also while a mail is being sent: whether that came is then not known. */
    async close() {
      cut.abort()
      const transport = await opened
      transport?.close()
    },
  }
}
export type Post = ReturnType<typeof openPost>

/** What a failure means. A refusal of the recipient or of the mail itself holds (RFC 5321, 5yz); a refusal of this service may be mended. */
function judge({ code, command, responseCode: status, message }: Failure): Posted {
  // what a server says may repeat an address
  const why = { code, command, status, ...(status === undefined && { reason: message }) }
  const isOfMail = command === 'RCPT TO' || command === 'DATA'
  if (isOfMail && status !== undefined && status >= 500) return { outcome: 'refused', why }
  return { outcome: 'failed', isAway: !isOfMail || status === 421, why }
}

/** A mail as it is queued: a text, the same in HTML for programs that show it, and headers beside those of every mail. */
export type Mail = {
  recipient: string
  subject: string
  text: string
  html?: string | null
  headers?: Record<string, string> | null
}
/** A subject and the paragraphs of its text, with places such as `{name}` for values. */
type Template = { subject: string; text: string[] }
/** Letters by name. */
export type Letters = Record<string, Template>
/** Letters in the languages that mail is written in. */
export type Translated<L extends Letters> = { en: L } & Record<string, L>

/** A value on one line, so that it begins no line and no header of its own. */
const lineOf = (value: string) =>
  withoutControls(value)
    .replace(/[\u2028\u2029]/g, ' ')
    .trim()

/** A text without addresses of pages, with `https://` or without, so that nobody sends such to others by what they fill in. */
export const withoutLinks = (text: string): string =>
  text.replace(/\S*(?::\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2})\S*/giu, '…')

/** Words with their places, such as `{name}`, filled in; without a value a place is empty. What is filled in is not read again. */
export const fill = (words: string, values: Record<string, string>): string =>
  words.replace(/\{(\w+)\}/g, (_, name: string) => lineOf(values[name] ?? ''))

/**
 * Writes a letter to a recipient in a language; English stands for languages without words, and a regional form has those of its language.
 * Values fill the places in subject and text.
 */
export function composeMail<L extends Letters>(
  letters: Translated<L>,
  { letter, language, recipient }: { letter: keyof L; language: string; recipient: string },
  values: Record<string, string>,
): Mail {
  const { subject, text } = (letters[language.split('-')[0]!] ?? letters.en)[letter]!
  return { recipient, subject: fill(subject, values), text: `${fill(text.join('\n\n'), values).trim()}\n` }
}
