import { beginningOf } from '../../kernel/text/html.ts'
import { abbreviation, withOffset } from '../../kernel/time/dates.ts'
import type { EventRecord, VenueRecord } from './records.ts'

const formatters = new Map<string, Intl.DateTimeFormat>()

/** The language for dates. A site may have languages that are not well-formed for a program. */
export function localeOf(language: string): string {
  try {
    return new Intl.Locale(language).toString()
  } catch {
    return 'en'
  }
}

/** Prints dates in a language; those of a wall clock, which are handed over as if they were UTC. */
function formatterOf(language: string, allDay: boolean): Intl.DateTimeFormat {
  const key = `${language} ${allDay}`
  const known = formatters.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(localeOf(language), {
    dateStyle: 'full',
    ...(!allDay && { timeStyle: 'short' }),
    timeZone: 'UTC',
  })
  formatters.set(key, made)
  return made
}

const asUtc = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)

/** When an event takes place, for people: in its language, on the clock of its zone. */
function whenOf(event: EventRecord): string {
  const { language, all_day, start_date, end_date, timezone, utc_start_date } = event
  const dates = formatterOf(language, all_day).formatRange(asUtc(start_date), asUtc(end_date))
  return all_day ? dates : `${dates} (${abbreviation(asUtc(utc_start_date), timezone)})`
}

/** The parts that there are, in one line. */
const joined = (parts: string[], separator = ', ') => parts.filter((part) => part !== '').join(separator)

/** The address of a venue in one line. */
export const addressOf = ({ address, zip, city, stateprovince, country }: VenueRecord): string =>
  joined([address, joined([zip, city], ' '), stateprovince, country])
/** Name and address of a venue in one line. */
export const placeOf = (venue: VenueRecord): string => joined([venue.title, addressOf(venue)])

/** Words for an event that does not take place as planned, by language. */
const STATES: Record<string, Partial<Record<EventRecord['event_status'], string>>> = {
  en: { cancelled: 'Cancelled', postponed: 'Postponed', moved_online: 'Now online', rescheduled: 'New date' },
  ca: {
    cancelled: 'Cancel·lat',
    postponed: 'Ajornat',
    moved_online: 'Ara en línia',
    rescheduled: 'Nova data',
  },
  es: {
    cancelled: 'Cancelado',
    postponed: 'Aplazado',
    moved_online: 'Ahora en línea',
    rescheduled: 'Nueva fecha',
  },
  de: {
    cancelled: 'Abgesagt',
    postponed: 'Verschoben',
    moved_online: 'Jetzt online',
    rescheduled: 'Neuer Termin',
  },
  fr: {
    cancelled: 'Annulé',
    postponed: 'Reporté',
    moved_online: 'Désormais en ligne',
    rescheduled: 'Nouvelle date',
  },
  it: {
    cancelled: 'Annullato',
    postponed: 'Rinviato',
    moved_online: 'Ora online',
    rescheduled: 'Nuova data',
  },
  pt: { cancelled: 'Cancelado', postponed: 'Adiado', moved_online: 'Agora online', rescheduled: 'Nova data' },
}

/** The title, after a word if the event does not take place as planned: many readers show nothing else. */
export function titleOf({ title, language, event_status }: EventRecord): string {
  const words = STATES[language.slice(0, 2)] ?? STATES.en!
  const word = words[event_status]
  return word === undefined ? title : `${word}: ${title}`
}

/** Text in HTML, in which it has no markup. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The content of an event as HTML: when and where it takes place, what it costs, and its description, sanitised as it was stored. */
export function contentOf(event: EventRecord): string {
  const { virtual_url } = event
  const facts = [whenOf(event), ...event.venues.map(placeOf), event.cost.cost].filter(Boolean).map(escapeHtml)
  if (virtual_url) facts.push(`<a href="${escapeHtml(virtual_url)}">${escapeHtml(virtual_url)}</a>`)
  return `<p>${facts.join('<br />')}</p>${event.description || event.excerpt}`
}

/** The beginning of an event as plain text: its excerpt, or else its description. */
export function summaryOf({ excerpt, description }: EventRecord): string {
  const text = beginningOf(excerpt || description, LONGEST)
  if (text.length <= LONGEST) return text
  const beginning = [...text.slice(0, LONGEST + 1)].slice(0, -1).join('')
  return `${beginning.replace(/\s+\S*$/, '')} …`
}
const LONGEST = 300

/** When an event was published, as in RFC 3339; empty if it never was. */
export const publishedOf = ({ date_utc }: EventRecord): string => date_utc && withOffset(date_utc, date_utc)
