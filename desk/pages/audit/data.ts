import type { AuditCode, AuditOrigin, AuditSubject } from '../../../schemas/audit-codes.ts'
import { SITE } from '../../api/site.ts'
import type { Place } from '../../rules/places.ts'
import { addDays, isDay } from '../../rules/wall.ts'
import { beginningOf } from '../../rules/zones.ts'
import { secondText } from '../../words/dates.ts'
import { calledText, fill, undeliveredText, type Words, w } from '../../words/words.ts'

/** An entry of the audit log. */
export type Entry = {
  id: number
  at_utc: string
  code: AuditCode
  origin: AuditOrigin
  address: string
  user?: number
  login?: string
  credential?: string
  subject?: { kind: AuditSubject; id: number }
  details: Record<string, string>
  count: number
}

/** When a day begins by the clock of the site; undefined if there is no such day. */
const beginning = (day: string) =>
  isDay(day) ? new Date(beginningOf(day, SITE.zone)).toISOString() : undefined

/** What the API is asked for at a place, whose days are those of the site. */
export const queryOf = ({ query: { code, user, from = '', to = '', page = '1' } }: Place) => ({
  ...{ code, user, page, per_page: 30 },
  from: beginning(from),
  until: isDay(to) ? beginning(addDays(to, 1)) : undefined,
})

const SUBJECTS: Record<AuditSubject, keyof Words> = {
  user: 'user',
  password: 'subject_password',
  sign_in: 'subject_sign_in',
  token: 'subject_token',
  session: 'subject_session',
  webhook: 'subject_webhook',
  event: 'event',
  series: 'series',
  venue: 'venue_one',
  organizer: 'organizer_one',
  category: 'category',
  tag: 'tag',
  media: 'picture',
}
/** A user as the log names one. */
export type Known = { id: number; login: string; name?: string }
/** What something was done to, in words: a user by name, if there still is one. */
export function subjectText({ kind, id }: { kind: AuditSubject; id: number }, users: Known[] = []): string {
  const user = kind === 'user' ? users.find((one) => one.id === id) : undefined
  return user ? calledText(user.login, user.name) : `${w[SUBJECTS[kind]]} ${id}`
}
/** Who did something, in words: with the name that the user has now. */
export function whoText({ login, user, origin }: Entry, users: Known[]): string {
  if (login !== undefined) return calledText(login, users.find(({ id }) => id === user)?.name)
  if (user !== undefined) return fill(w.user_number, { id: user })
  return { http: w.somebody, command: w.command_line, service: w.the_service }[origin]
}

/** The names of details in words; settings are called as they are. */
const NAMES: Record<string, keyof Words> = {
  ...{ login: 'login', role: 'role', name: 'name', title: 'title', status: 'status', owner: 'user' },
  ...{
    description: 'description',
    password: 'subject_password',
    sign_in: 'subject_sign_in',
    disabled: 'detail_disabled',
  },
  ...{ scopes: 'detail_scopes', expires_utc: 'detail_expires', records_to: 'detail_heir' },
  ...{ reason: 'detail_reason', host: 'detail_host', kinds: 'detail_kinds', filters: 'detail_filters' },
  ...{ operations: 'detail_operations', enabled: 'detail_enabled', file: 'detail_file' },
  ...{ reassigned_to: 'detail_merged', command: 'detail_command', bytes: 'detail_bytes' },
  ...{ from: 'detail_source', to: 'detail_target', dates: 'detail_dates' },
  ...{ import: 'detail_import', created: 'detail_created', changed: 'detail_changed', same: 'detail_same' },
  ...{ kind: 'detail_way', codes: 'detail_codes', limits: 'limits' },
  ...{ left: 'detail_left', refused: 'detail_refused', undone: 'detail_undone', stayed: 'detail_stayed' },
}
/** Limits as the log writes them, such as `categories 1, 2; venues -`, in words. */
const limitsText = (value: string): string =>
  value
    .split('; ')
    .flatMap((part) => {
      const [, kind, ids] = /^(categories|venues) (\d.*)$/.exec(part) ?? []
      return kind ? [`${w[kind as 'categories' | 'venues']} ${ids}`] : []
    })
    .join('; ') || w.every

/** A value of a detail, in words where it is one of a few. */
function valueText(name: string, value: string): string {
  if (name === 'expires_utc') return secondText(value)
  if (name === 'limits') return limitsText(value)
  if (name === 'disabled' || name === 'enabled') return value === 'true' ? w.yes : w.no
  const group = name === 'kind' ? 'way' : name
  const word = ['role', 'status', 'reason', 'way'].includes(group) ? `${group}_${value}` : ''
  if (Object.hasOwn(w, word)) return w[word as keyof Words]
  return name === 'reason' ? undeliveredText(value) : value
}

/** A value, or both values of a change. */
function changeText(name: string, text: string): string {
  const parts = text.split(' → ')
  if (parts.length === 1) return valueText(name, text)
  return parts.map((part) => (part === 'undefined' ? w.nothing : valueText(name, part))).join(' → ')
}

/** The details of an entry with their names, and the credential of who did it. */
export function detailsOf({ details, credential, subject }: Entry): [name: string, text: string][] {
  const [kind, id] = (credential?.split(' ') ?? []) as [AuditSubject, string]
  const shown = Object.entries(details)
    .filter(([, value]) => value !== '' && value !== '{}')
    .map(([name, value]): [string, string] => [
      Object.hasOwn(NAMES, name) ? w[NAMES[name]!] : name,
      changeText(name, value),
    ])
  if (!credential || `${subject?.kind} ${subject?.id}` === credential) return shown
  return [...shown, [w.detail_credential, subjectText({ kind, id: Number(id) })]]
}
