import { decodeHTMLStrict } from 'entities'
import { BLOCK, INLINE } from '../../../../kernel/text/markup.ts'
import { partsOf, readUrl } from '../../../../kernel/text/text.ts'
import type { Body } from '../item.ts'
import { shown } from '../report.ts'
import { type Component, type Property, propertiesOf, propertyOf, textOf, textsOf } from './components.ts'

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Plain text as HTML. */
const asHtml = (text: string) => text.replace(/[&<>]/g, (sign) => ESCAPED[sign] as string)

const ELEMENT = new RegExp(`<(?:${[...INLINE, ...BLOCK].join('|')})(?:\\s[^<>]*)?/?>`, 'i')
/** A sign that opens no tag and no comment. */
const LONE = /<(?!\/?[a-z][\w-]*(?:\s[^<>]*)?\/?>|!--)/gi

/** Text as HTML: that of programs which write HTML is such, with what is no tag as text; in all other text entities alone are read. */
const textAsHtml = (text: string) =>
  ELEMENT.test(text) ? text.replace(LONE, '&lt;') : asHtml(decodeHTMLStrict(text))

const EMAIL = /(?<![^\s@,;:<>()])[^\s@,;:<>()]+@[^\s@,;:<>()]+\.[^\s@,;:<>()]+/
const PHONE = /\+?\d[\d\s().-]{4,}\d/
const webUrl = (text: string) => (/^https?:/i.test(text) ? readUrl(text) : undefined)

/** The description: HTML where the file has it beside the text. */
function description(component: Component): string {
  const html = propertiesOf(component, 'X-ALT-DESC').find(
    ({ parameters }) => parameters.FMTTYPE === 'text/html',
  )
  if (!html) return textAsHtml(textOf(propertyOf(component, 'DESCRIPTION')))
  const page = textOf(html)
  const body = /<body\b[^<>]*>/i.exec(page)
  const end = page.toLowerCase().lastIndexOf('</body>')
  return body && end > body.index ? page.slice(body.index + body[0].length, end) : page
}

/** Where an event takes place: at a venue, and online. */
function places(component: Component, remarks: string[]): Body {
  const location = textOf(propertyOf(component, 'LOCATION')).replace(/^[\s,]+/, '')
  const conference = propertiesOf(component, 'CONFERENCE')
    .map(({ value }) => webUrl(value))
    .find(Boolean)
  const link = webUrl(location)
  const virtual_url = conference ?? link
  const online = virtual_url && { virtual_url, attendance_mode: link || location === '' ? 'online' : 'mixed' }
  const [lat, lng] = (propertyOf(component, 'GEO')?.value ?? '').split(';').map(Number)
  const isPlaced = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
  if (location === '' || link) {
    if (isPlaced) remarks.push('has coordinates without a place, which are left out')
    return { ...online }
  }
  const apple = propertyOf(component, 'X-APPLE-STRUCTURED-LOCATION')?.parameters
  const venue = apple?.['X-TITLE'] || partsOf(location)[0]!
  const rest = location.startsWith(venue) ? location.slice(venue.length).replace(/^[\s,;]+/, '') : location
  const address = partsOf(rest).join(', ')
  return {
    venue: [
      {
        venue,
        ...(address !== '' && { address }),
        ...(isPlaced && { geo_lat: lat, geo_lng: lng }),
      },
    ],
    ...online,
  }
}

/** Who can be reached, as ORGANIZER and CONTACT say. */
function organizers(component: Component): Body[] {
  const organizer = propertyOf(component, 'ORGANIZER')
  const address = organizer?.value.trim() ?? ''
  const email = EMAIL.exec(address.replace(/^mailto:/i, ''))?.[0]
  const website = webUrl(address)
  const name = organizer?.parameters.CN?.trim() || email || website
  const found: Body[] = name
    ? [{ organizer: name, ...(email && { email }), ...(website && { website }) }]
    : []
  for (const contact of propertiesOf(component, 'CONTACT')) {
    const text = textOf(contact)
    const [who = ''] = partsOf(text)
    const reached = { phone: PHONE.exec(text)?.[0], email: EMAIL.exec(text)?.[0] }
    const same = found.find(({ organizer }) => organizer === who)
    if (same) Object.assign(same, { ...(reached.phone && { phone: reached.phone }) })
    else if (who !== '' && who !== reached.phone && who !== reached.email)
      found.push({
        organizer: who,
        ...(reached.phone && { phone: reached.phone }),
        ...(reached.email && { email: reached.email }),
      })
  }
  return found
}

/** The picture: the first that is on the web. */
function picture(component: Component): string | undefined {
  const isPicture = ({
    name,
    parameters: { FMTTYPE = '' },
  }: {
    name: string
    parameters: Record<string, string>
  }) => name === 'IMAGE' || FMTTYPE.startsWith('image/')
  const all = [...propertiesOf(component, 'IMAGE'), ...propertiesOf(component, 'ATTACH').filter(isPicture)]
  return all.map(({ value }) => webUrl(value.trim())).find((url) => url !== undefined)
}

/** Characters of the name of a category. */
const LONGEST_NAME = 200

function categories(component: Component, remarks: string[]): string[] {
  const all = [...new Set(propertiesOf(component, 'CATEGORIES').flatMap(textsOf))]
  const [taken, long] = [
    all.filter(({ length }) => length <= LONGEST_NAME),
    all.filter(({ length }) => length > LONGEST_NAME),
  ]
  for (const name of long)
    remarks.push(
      `a category has ${name.length} characters and may have ${LONGEST_NAME}; it is left out: ${shown(name)}`,
    )
  return taken
}

/** What an event without SUMMARY is called, as calendar programs show it, in the language of the site. */
const UNTITLED: Record<string, string> = {
  ca: '(Sense títol)',
  de: '(Kein Titel)',
  en: '(No title)',
  es: '(Sin título)',
  fr: '(Sans titre)',
  it: '(Senza titolo)',
  pt: '(Sem título)',
}
function titleOf(
  summary: Property | undefined,
  [language = '']: readonly string[],
  remarks: string[],
): string {
  const title = partsOf(textOf(summary), '\n').join(' ')
  if (title !== '') return title
  const untitled = UNTITLED[language] ?? UNTITLED.en!
  remarks.push(`has no SUMMARY, and is called ${untitled}`)
  return untitled
}

/** Properties that are read, or that tell which version of an event is the latest. */
const READ = new Set([
  ...[
    'UID',
    'DTSTAMP',
    'SEQUENCE',
    'RECURRENCE-ID',
    'DTSTART',
    'DTEND',
    'DURATION',
    'RRULE',
    'RDATE',
    'EXDATE',
  ],
  ...[
    'SUMMARY',
    'DESCRIPTION',
    'X-ALT-DESC',
    'LOCATION',
    'X-APPLE-STRUCTURED-LOCATION',
    'ORGANIZER',
    'CONTACT',
  ],
  ...['CATEGORIES', 'STATUS', 'CLASS', 'URL', 'CONFERENCE', 'X-MICROSOFT-CDO-ALLDAYEVENT'],
])
/** The names of the properties and components of an event of which nothing is in its members, each as often as it is there. */
export function leftOutOf(component: Component, { venue, image }: Body): string[] {
  const isPlaced = Array.isArray(venue) && 'geo_lat' in venue[0]
  const isTaken = ({ name, value }: Property) =>
    READ.has(name) || (name === 'GEO' && isPlaced) || (image !== undefined && webUrl(value.trim()) === image)
  return [...component.properties.filter((one) => !isTaken(one)), ...component.components].map(
    ({ name }) => name,
  )
}

/** Options of reading. */
export type MemberOptions = { languages: readonly string[]; media: boolean }

/** The members of an event but for its dates. `remarks` tell what could not be imported, or was guessed. */
export function membersOf(
  component: Component,
  { languages, media, isCancelled = false }: MemberOptions & { isCancelled?: boolean },
  remarks: string[],
): Body {
  const summary = propertyOf(component, 'SUMMARY')
  const language = summary?.parameters.LANGUAGE?.toLowerCase()
  const status = textOf(propertyOf(component, 'STATUS')).toUpperCase()
  const isPrivate = ['PRIVATE', 'CONFIDENTIAL'].includes(textOf(propertyOf(component, 'CLASS')).toUpperCase())
  const website = readUrl(propertyOf(component, 'URL')?.value ?? '')
  const image = media ? picture(component) : undefined
  if (status === 'TENTATIVE') remarks.push('is tentative in the file, and taken as scheduled')
  return {
    title: titleOf(summary, languages, remarks),
    description: description(component),
    event_status: status === 'CANCELLED' || isCancelled ? 'cancelled' : 'scheduled',
    ...(isPrivate && { status: 'private' }),
    ...(website && { website }),
    categories: categories(component, remarks),
    ...places(component, remarks),
    organizer: organizers(component),
    ...(image && { image }),
    ...(language && languages.includes(language) && { i18n_language: language }),
  }
}
