import { jsonLd } from '../../../calendar/formats/json-ld.ts'
import type { OrganizerRecord, TermRecord, VenueRecord } from '../../../calendar/formats/records.ts'
import { html, type Markup } from '../../../kernel/text/markup.ts'
import { fill } from '../words.ts'
import { dataOf, fact } from './event.ts'
import { type Head, headline, layout, preview } from './layout.ts'
import { knownAt, type Listed, otherTime, results, topics } from './list.ts'
import { described, graphOf } from './parts/described.ts'
import { picture } from './parts/picture.ts'
import { hasMap, placeOf } from './parts/place.ts'
import { prose, summaryOf, webLink } from './parts/prose.ts'
import { linkTo, linkToTerm, type View } from './view.ts'

/** The events of a venue, organizer, category or tag, and the paths of this page by language. */
type About = { listed: Listed; translations: Record<string, string> }

const titleOf = (name: string, { filters }: Listed, { words }: View) =>
  filters.when === 'past' ? fill(words.past_of, { name }) : name

/** How to reach a venue or an organizer. */
function contactOf(view: View, record: VenueRecord | OrganizerRecord): Markup {
  const { words } = view
  const { phone, website } = record
  const place = record.kind === 'venue' && placeOf(view, record)
  const email = record.kind === 'organizer' && record.email
  return html`<dl class="facts">
${fact(words.address, place)}
${phone && html`<div><dt>${words.phone}</dt><dd><a href="tel:${phone.replace(/[^\d+]/g, '')}">${phone}</a></dd></div>`}
${email && html`<div><dt>${words.email}</dt><dd><a href="mailto:${email}">${email}</a></dd></div>`}
${website && html`<div><dt>${words.website}</dt><dd>${webLink(website)}</dd></div>`}
</dl>`
}

/** The page of a venue or organizer, with its events. */
export function linkedPage(
  view: View,
  record: VenueRecord | OrganizerRecord,
  { listed, translations }: About,
): Markup {
  const { words } = view
  const { image, kind, id } = record
  const path = linkTo(view, record)
  const head: Head = {
    title: titleOf(record.title, listed, view),
    sheet: 'record',
    ...described(view, record.title, listed.events, listed.total),
    ...(record.description && { description: summaryOf(record.description) }),
    list: graphOf(view, listed.events),
    ...knownAt(translations[view.language]!, listed),
    translations,
    feeds: { [kind]: String(id) },
    hasMap: record.kind === 'venue' && hasMap(view, record),
    ...(image && preview(view, image)),
    data: dataOf(view, { '@context': 'http://schema.org', ...jsonLd(record) }),
  }
  return layout(
    view,
    head,
    html`<div class="frame about${!image && ' bare'}">
<header><p class="kind">${kind === 'venue' ? words.venue : words.organizer}</p>${headline(head.title)}</header>
${image && html`<div class="cover">${picture(view, image, '(min-width: 60rem) 44rem, 100vw', { early: true, within: view.language })}</div>`}
<aside>${contactOf(view, record)}</aside>
<div class="text">${prose(view, record.description)}</div>
</div>
<div class="frame"><div id="results">${results(view, path, listed, kind === 'venue' ? { venue: record.slug } : undefined)}</div>
${otherTime(view, path, listed.filters)}</div>`,
  )
}

/** The page of a category or tag, with its events and the categories below it. */
export function termPage(
  view: View,
  term: TermRecord,
  { listed, translations, children }: About & { children: TermRecord[] },
): Markup {
  const { words } = view
  const path = linkToTerm(view, term)
  const head: Head = {
    title: titleOf(term.name, listed, view),
    ...described(view, term.name, listed.events, listed.total),
    ...(term.description && { description: summaryOf(term.description) }),
    list: graphOf(view, listed.events),
    ...knownAt(translations[view.language]!, listed),
    translations,
    feeds: { [term.taxonomy === 'category' ? 'categories' : 'tags']: term.slug },
  }
  return layout(
    view,
    head,
    html`<div class="frame">
<div class="head"><p class="kind">${words[term.taxonomy]}</p>${headline(head.title)}${term.description && html`<div class="lead">${prose(view, term.description)}</div>`}${topics(view, children)}</div>
<div id="results">${results(view, path, listed, { [term.taxonomy]: term.slug })}</div>
${otherTime(view, path, listed.filters)}
</div>`,
  )
}
