import type { TermRecord } from '../../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { fill } from '../../../kernel/text/words.ts'
import type { Words } from '../words.ts'
import { absolute, headline, layout } from './layout.ts'
import { pathOf, type View } from './view.ts'

/** The fields of the form, by their names. */
export const FIELDS = [
  'title',
  'description',
  'start_day',
  'start_time',
  'end_day',
  'end_time',
  'all_day',
  'venue',
  'address',
  'city',
  'organizer',
  'category',
  'cost',
  'website',
  'name',
  'email',
  'note',
] as const
export type Field = (typeof FIELDS)[number] | 'picture'

/** What is wrong with a field, by the name of the word that says it. */
export type Problems = Partial<
  Record<Field, { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words]>
>
/** The form as it is shown: what was typed, what is wrong with it, and what it is sent with. */
export type Form = {
  typed: Partial<Record<string, string>>
  problems: Problems
  /** What is wrong with all of it. */
  trouble?: string | undefined
  stamp: string
  /** What a correction began with, as JSON, so that what editors write meanwhile is not undone. */
  was?: string | undefined
  /** Zero bits of the work that the script proves; undefined where none is needed. */
  bits: number | undefined
  zone: string
  /** Days for which name and address are kept. */
  days: number
  categories: TermRecord[]
  /** Names of places that are suggested. */
  venues: string[]
}
/** What became of a submission. */
export type Standing = {
  what: 'received' | 'waiting' | 'asked' | 'accepted' | 'refused' | 'withdrawn' | 'closed'
  /** What the editors write; empty for nothing. */
  reply: string
  /** The path of the page of the submission, and of that of its event. */
  path: string
  event?: string | undefined
  mailed: boolean
}

type Options = { type?: string; hint?: string; needed?: boolean; more?: Part }

/** A field with its label, its hint and what is wrong with it. */
function field(
  view: View,
  { typed, problems }: Form,
  name: Field,
  label: string,
  { type = 'text', hint, needed, more }: Options = {},
): Markup {
  const { words } = view
  const problem = problems[name]
  const describes = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ')
  const shared = html` id="${name}" name="${name}"${needed && html` required`}${describes && html` aria-describedby="${describes}"`}${problem && html` aria-invalid="true"`}${more}`
  const input =
    type === 'long'
      ? html`<textarea${shared}>${typed[name]}</textarea>`
      : html`<input type="${type}"${type !== 'file' && html` value="${typed[name]}"`}${shared}>`
  return html`<p><label for="${name}">${label}${needed && ' *'}</label>${hint && html` <span class="hint" id="${name}-hint">${hint}</span>`}
${input}${problem && html` <span class="problem" id="${name}-problem">${words[problem]}</span>`}</p>`
}

const categoryField = ({ words }: View, { typed, categories }: Form) =>
  categories.length > 0 &&
  html`<p><label for="category">${words.category}</label>
<select id="category" name="category"><option value="">${words.submit_no_category}</option>${categories.map(
    ({ id, name }) =>
      html`<option value="${id}"${String(id) === typed.category && html` selected`}>${name}</option>`,
  )}</select></p>`

/** The form. What no person fills in stands outside of what is seen and read. The file is the last field: those after it are not read. */
function formOf(view: View, form: Form, path: string, save: string): Markup {
  const { words } = view
  const { typed, problems, trouble, stamp, was, bits, zone, days, venues } = form
  const told = trouble ?? (Object.keys(problems).length > 0 ? words.submit_problems : undefined)
  const at = (name: Field, label: string, options?: Options) => field(view, form, name, label, options)
  return html`<form class="proposal" method="post" enctype="multipart/form-data" action="${path}"${bits !== undefined && html` data-bits="${bits}"`}>
${told && html`<p class="problem" role="alert">${told}</p>`}
<p>${words.submit_required}</p>
${at('title', words.submit_title, { needed: true, more: html` maxlength="200"` })}
${at('description', words.submit_description, { type: 'long', hint: words.submit_description_hint, more: html` maxlength="20000"` })}
<fieldset><legend>${words.when}</legend>
<div class="pair">${at('start_day', words.submit_first_day, { type: 'date', needed: true })}${at('start_time', words.submit_begins, { type: 'time' })}</div>
<div class="pair">${at('end_day', words.submit_last_day, { type: 'date', hint: words.submit_last_day_hint })}${at('end_time', words.submit_ends, { type: 'time' })}</div>
<p><label><input type="checkbox" name="all_day" value="yes"${typed.all_day && html` checked`}> ${words.all_day}</label></p>
<p class="hint">${fill(words.submit_zone, { zone })}</p></fieldset>
<fieldset><legend>${words.where}</legend>
${at('venue', words.venue, { hint: words.submit_venue_hint, more: html` list="places" maxlength="200"` })}
<datalist id="places">${venues.map((name) => html`<option value="${name}"></option>`)}</datalist>
<div class="pair">${at('address', words.address, { more: html` maxlength="200" autocomplete="off"` })}${at('city', words.submit_city, { more: html` maxlength="200" autocomplete="off"` })}</div></fieldset>
<div class="group"><div class="pair">${at('organizer', words.organizer, { more: html` maxlength="200"` })}${categoryField(view, form)}</div>
<div class="pair">${at('cost', words.price, { more: html` maxlength="100"` })}${at('website', words.website, { type: 'url', more: html` maxlength="2000" placeholder="https://"` })}</div></div>
<fieldset><legend>${words.submit_who}</legend>
<p class="hint">${fill(words.submit_who_long, { days })}</p>
<div class="pair">${at('name', words.submit_name, { needed: true, more: html` maxlength="200" autocomplete="name"` })}${at('email', words.submit_email, { type: 'email', needed: true, more: html` maxlength="254" autocomplete="email"` })}</div>
${at('note', words.submit_note, { type: 'long', more: html` maxlength="4000"` })}</fieldset>
<p class="trap" aria-hidden="true"><label>${words.submit_trap} <input type="text" name="reason" tabindex="-1" autocomplete="off"></label></p>
<input type="hidden" name="challenge" value="${stamp}"><input type="hidden" name="nonce">${was !== undefined && html`<input type="hidden" name="was" value="${was}">`}
${at('picture', words.submit_picture, { type: 'file', hint: words.submit_picture_hint, more: html` accept="image/jpeg,image/png,image/gif,image/webp,image/avif"` })}
<p><button>${save}</button></p>
</form>`
}

/** The page on which an event is proposed. */
export function submitPage(view: View, form: Form): Markup {
  const { words, front } = view
  const path = pathOf(view, '/events/submit/')
  const translations = Object.fromEntries(
    front.languages.map((language) => [language, pathOf({ front, language }, '/events/submit/')]),
  )
  return layout(
    view,
    {
      title: words.submit_event,
      description: words.submit_lead,
      canonical: path,
      translations,
      sheet: 'submit',
    },
    html`<div class="frame">
<div class="head">${headline(words.submit_event)}<p class="lead">${words.submit_lead}</p></div>
${formOf(view, form, path, words.submit_send)}
</div>`,
  )
}

/** The page of what was proposed, for whoever has its address: how it stands, and the form as long as it may be corrected. */
export function submittedPage(view: View, title: string, standing: Standing, form: Form | undefined): Markup {
  const { words } = view
  const { what, reply, path, event, mailed } = standing
  const news = words[`submit_${what}`]
  return layout(
    view,
    { title: words.submit_event, canonical: path, hidden: true, sheet: 'submit' },
    html`<div class="frame">
<div class="head">${headline(title)}</div>
<div class="news" role="status"><p>${news}</p>
${what === 'received' && html`<p>${words.submit_received_long}</p><p><a href="${path}">${absolute(view, path)}</a></p>${mailed && html`<p>${words.submit_mailed}</p>`}`}
${reply && html`<p>${words.submit_reply}</p><p class="reply">${reply}</p>`}
${event && html`<p><a href="${event}">${words.submit_to_event}</a></p>`}</div>
${form && formOf(view, form, path, words.submit_save)}
${form && html`<form class="proposal" method="post" action="${path}"><p><button class="plain" name="withdraw" value="yes">${words.submit_withdraw}</button> ${words.submit_withdraw_long}</p></form>`}
<p class="other"><a href="${pathOf(view, '/events/submit/')}">${words.submit_another}</a></p>
</div>`,
  )
}
