import type { EventRecord, VenueRecord } from '../../../../calendar/formats/records.ts'
import { html, type Markup } from '../../../../kernel/text/markup.ts'
import { addDays, startOfDay } from '../../../../kernel/time/dates.ts'
import { absolute } from '../layout.ts'
import { linkTo, type View } from '../view.ts'
import { summaryOf } from './prose.ts'

const compact = (utc: string) => `${utc.replace(/[-:]/g, '').replace(' ', 'T')}Z`
const plain = (day: string) => day.slice(0, 10)

/** The address of a venue in one line, without empty parts and without a province named like its city. */
export const addressOf = ({ address, zip, city, stateprovince, country }: VenueRecord): string =>
  [address, [zip, city].filter(Boolean).join(' '), stateprovince === city ? '' : stateprovince, country]
    .filter(Boolean)
    .join(', ')

/** What web calendars are told about an event. */
function told(view: View, event: EventRecord) {
  const [venue] = event.venues
  const address = absolute(view, linkTo(view, event))
  const summary = summaryOf(event.excerpt || event.description, 500)
  return {
    details: summary ? `${summary}\n\n${address}` : address,
    location:
      event.event_status === 'moved_online'
        ? event.virtual_url
        : venue
          ? [venue.title, addressOf(venue)].filter(Boolean).join(', ')
          : '',
  }
}

/** The address at which Google Calendar offers to add an event. Its all-day events end on the day after the last. */
function googleLink(event: EventRecord, { details, location }: ReturnType<typeof told>): string {
  const day = (wall: string) => plain(wall).replaceAll('-', '')
  const dates = event.all_day
    ? `${day(event.start_date)}/${day(addDays(startOfDay(event.end_date), 1))}`
    : `${compact(event.utc_start_date)}/${compact(event.utc_end_date)}`
  const query = { action: 'TEMPLATE', text: event.title, dates, details, location }
  return `https://calendar.google.com/calendar/render?${new URLSearchParams(query)}`
}

/** The address at which Outlook on the web offers to add an event. */
function outlookLink(event: EventRecord, { details, location }: ReturnType<typeof told>): string {
  const at = (utc: string) => `${utc.replace(' ', 'T')}Z`
  const query = {
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title,
    ...(event.all_day
      ? {
          startdt: plain(event.start_date),
          enddt: plain(addDays(startOfDay(event.end_date), 1)),
          allday: 'true',
        }
      : { startdt: at(event.utc_start_date), enddt: at(event.utc_end_date) }),
    body: details,
    location,
  }
  return `https://outlook.live.com/calendar/0/deeplink/compose?${new URLSearchParams(query)}`
}

/** The ways to add an event to one's own calendar. */
export function addTo(view: View, event: EventRecord): Markup {
  const { front, words } = view
  const known = told(view, event)
  return html`<details class="add"><summary>${words.add}</summary><ul>
<li><a href="${front.path}${front.api}/events/${event.id}.ics">${words.add_file}</a></li>
<li><a href="${googleLink(event, known)}" rel="noopener">${words.add_google}</a></li>
<li><a href="${outlookLink(event, known)}" rel="noopener">${words.add_outlook}</a></li>
</ul></details>`
}
