import type { FastifyRequest } from 'fastify'
import { type SubmissionInput as Input, SubmissionInput } from '../../../schemas/submission.ts'
import type { EventRecord, TermRecord } from '../../calendar/formats/records.ts'
import { readParts } from '../../kernel/input/bodies.ts'
import { readMembers } from '../../kernel/input/readers.ts'
import { readable } from '../../kernel/text/html.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fill } from '../../kernel/text/words.ts'
import { absolute, headline, layout } from '../pages/layout.ts'
import { pathOf, pathsIn, type View } from '../pages/page.ts'
import type { Words } from '../pages/words.ts'
import type { SentPicture } from './receiving.ts'
import type { Submission } from './rows.ts'

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
  challenge: string
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
export type SubmissionStatus = {
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
  const { typed, problems, trouble, challenge, was, bits, zone, days, venues } = form
  const told = trouble ?? (Object.keys(problems).length > 0 ? words.submit_problems : undefined)
  const at = (name: Field, label: string, options?: Options) => field(view, form, name, label, options)
  return html`<form class="proposal" method="post" enctype="multipart/form-data" action="${path}"${bits !== undefined && html` data-bits="${bits}"`}>
${told && html`<p class="problem" role="alert">${told}</p>`}
<fieldset><legend>${words.submit_event_part}</legend>
<p class="hint">${words.submit_required}</p>
${at('title', words.submit_title, { needed: true, more: html` maxlength="200"` })}
${at('description', words.submit_description, { type: 'long', hint: words.submit_description_hint, more: html` maxlength="20000"` })}</fieldset>
<fieldset><legend>${words.when}</legend>
<div class="pair">${at('start_day', words.submit_first_day, { type: 'date', needed: true })}${at('start_time', words.submit_begins, { type: 'time' })}</div>
<div class="pair">${at('end_day', words.submit_last_day, { type: 'date', hint: words.submit_last_day_hint })}${at('end_time', words.submit_ends, { type: 'time' })}</div>
<p><label><input type="checkbox" name="all_day" value="yes"${typed.all_day && html` checked`}> ${words.all_day}</label></p>
<p class="hint">${fill(words.submit_zone, { zone })}</p></fieldset>
<fieldset><legend>${words.where}</legend>
${at('venue', words.venue, { hint: words.submit_venue_hint, more: html` list="places" maxlength="200"` })}
<datalist id="places">${venues.map((name) => html`<option value="${name}"></option>`)}</datalist>
<div class="pair">${at('address', words.address, { more: html` maxlength="200" autocomplete="off"` })}${at('city', words.submit_city, { more: html` maxlength="200" autocomplete="off"` })}</div></fieldset>
<fieldset><legend>${words.submit_who}</legend>
<p class="hint">${fill(words.submit_who_long, { days })}</p>
<div class="pair">${at('name', words.submit_name, { needed: true, more: html` maxlength="200" autocomplete="name"` })}${at('email', words.submit_email, { type: 'email', needed: true, more: html` maxlength="254" autocomplete="email"` })}</div>
${at('note', words.submit_note, { type: 'long', more: html` maxlength="4000"` })}</fieldset>
<p class="trap" aria-hidden="true"><label>${words.submit_trap} <input type="text" name="reason" tabindex="-1" autocomplete="off"></label></p>
<input type="hidden" name="challenge" value="${challenge}"><input type="hidden" name="nonce">${was !== undefined && html`<input type="hidden" name="was" value="${was}">`}
<fieldset><legend>${words.submit_more}</legend>
<div class="pair">${at('organizer', words.organizer, { more: html` maxlength="200"` })}${categoryField(view, form)}</div>
<div class="pair">${at('cost', words.price, { more: html` maxlength="100"` })}${at('website', words.website, { type: 'url', more: html` maxlength="2000" placeholder="https://"` })}</div>
${at('picture', words.submit_picture, { type: 'file', hint: words.submit_picture_hint, more: html` accept="image/jpeg,image/png,image/gif,image/webp,image/avif"` })}</fieldset>
<p><button>${save}</button></p>
</form>`
}

/** The page on which an event is proposed. */
export function submitPage(view: View, form: Form): Markup {
  const { words } = view
  const path = pathOf(view, '/events/submit/')
  return layout(
    view,
    {
      title: words.submit_event,
      description: words.submit_lead,
      canonical: path,
      translations: pathsIn(view.front, '/events/submit/'),
      sheet: 'submit',
    },
    html`<div class="frame">
<div class="head">${headline(view, words.submit_event)}<p class="lead">${words.submit_lead}</p></div>
<div class="submitting">${formOf(view, form, path, words.submit_send)}
<aside class="how"><h2>${words.submit_how}</h2><ol><li>${words.submit_how_fill}</li><li>${words.submit_how_review}</li><li>${words.submit_how_link}</li></ol></aside></div>
</div>`,
  )
}

/** The page of what was proposed, for whoever has its address: how it stands, and the form as long as it may be corrected. */
export function submittedPage(
  view: View,
  title: string,
  status: SubmissionStatus,
  form: Form | undefined,
): Markup {
  const { words } = view
  const { what, reply, path, event, mailed } = status
  const news = words[`submit_${what}`]
  return layout(
    view,
    { title: words.submit_event, canonical: path, hidden: true, sheet: 'submit' },
    html`<div class="frame">
<div class="head">${headline(view, title)}</div>
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

/** Greatest size of a picture, and of a text of the form, in bytes. */
export const PICTURE = 5 * 2 ** 20
const TEXT = 2 ** 17

/** A form as it was sent: its texts by name, and its picture. */
export type SentForm = {
  typed: Record<string, string>
  picture?: SentPicture | undefined
  /** Whether there was a picture that is too large. */
  isLarge: boolean
}

/** Reads a form, with a picture or without. What is longer than a person types is cut off. */
export async function readForm(request: FastifyRequest): Promise<SentForm> {
  if (!request.isMultipart()) {
    const fields = Object.entries((request.body ?? {}) as Record<string, unknown>)
    const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string')
    return { typed: Object.fromEntries(texts), isLarge: false }
  }
  const typed: SentForm['typed'] = {}
  const limits = { fileSize: PICTURE, fieldSize: TEXT, files: 1, fields: 40, parts: 40 }
  for await (const part of readParts(request, { limits })) {
    if (part.type !== 'file') {
      if (typeof part.value === 'string') typed[part.fieldname] = part.value
      continue
    }
    try {
      const bytes = await part.toBuffer()
      if (bytes.length > 0) return { typed, picture: { bytes, name: part.filename }, isLarge: false }
    } catch {
      return { typed, isLarge: true } // the picture is the last field
    }
  }
  return { typed, isLarge: false }
}

/** Which field of the form has a member of the input, and what is said where that is wrong. */
const FIELD_OF: Record<string, keyof Problems> = {
  start_date: 'start_day',
  end_date: 'end_day',
  categories: 'category',
  file: 'picture',
}
const WORD_OF = {
  title: 'submit_needed',
  name: 'submit_needed',
  email: 'submit_email_wrong',
  website: 'submit_website_wrong',
  picture: 'submit_picture_wrong',
} as const

/** Problems with members of the input as those of fields of the form. */
export const problemsOf = (members: Record<string, unknown>): Problems =>
  Object.fromEntries(
    Object.keys(members).map((member) => {
      const field = FIELD_OF[member] ?? member
      return [field, WORD_OF[field as keyof typeof WORD_OF] ?? 'submit_wrong']
    }),
  )

const DATES = ['start_day', 'start_time', 'end_day', 'end_time', 'all_day'] as const

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
const isTime = (text: string) => /^\d\d:\d\d(:\d\d)?$/.test(text)

/** The fields that are members of the input under the same names. */
const TEXTS = FIELDS.filter((name) => name !== 'category' && !(DATES as readonly string[]).includes(name))

/** The input of a form, or what is wrong with its fields. */
export function inputOf(
  { typed, isLarge }: SentForm,
  languages: readonly string[],
): { input: Input; problems: Problems } {
  const text = (name: string) => (typed[name] ?? '').trim()
  const isAllDay = text('all_day') !== ''
  const start = text('start_day')
  const end = text('end_day') || start
  const [from, to] = isAllDay
    ? ['00:00', '23:59']
    : [text('start_time'), text('end_time') || text('start_time')]
  const problems: Problems = {}
  if (start === '') problems.start_day = 'submit_needed'
  else if (!isDay(start)) problems.start_day = 'submit_wrong'
  if (end !== '' && !isDay(end)) problems.end_day = 'submit_wrong'
  if (from === '') problems.start_time = 'submit_needed'
  else if (!isTime(from!)) problems.start_time = 'submit_wrong'
  if (to !== '' && !isTime(to!)) problems.end_time = 'submit_wrong'
  if (isLarge) problems.picture = 'submit_picture_wrong'
  const dates = { start_date: `${start} ${from}`, end_date: `${end} ${to}` }
  const isDated = Object.keys(problems).every((name) => name === 'picture')
  if (isDated && dates.end_date < dates.start_date) problems.end_day = 'submit_end_wrong'
  const sent = {
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name)]).filter(([, value]) => value !== '')),
    ...(isDated && dates),
    all_day: isAllDay,
    ...(text('category') && { categories: [text('category')] }),
  }
  const read = readMembers(SubmissionInput(languages), sent)
  const lacking = read.missing.filter((name) => !name.endsWith('_date'))
  Object.assign(problems, { ...problemsOf(read.problems), ...problems })
  for (const name of lacking) problems[name as keyof Problems] = 'submit_needed'
  return { input: read.value as Input, problems }
}

/** What a form shows of a submission that may be corrected. */
export function typedOf(
  { name, email, note, title, start_date, end_date, all_day }: Submission,
  {
    description,
    website,
    cost,
    venues: [venue],
    organizers: [organizer],
    categories: [category],
  }: EventRecord,
): Form['typed'] {
  const time = (wall: string) => (all_day ? '' : wall.slice(11, 16))
  return {
    title,
    description: readable(description),
    website,
    cost: cost.cost,
    start_day: start_date.slice(0, 10),
    start_time: time(start_date),
    end_day: end_date.slice(0, 10),
    end_time: time(end_date),
    all_day: all_day ? 'yes' : '',
    venue: venue?.title,
    address: venue?.address,
    city: venue?.city,
    organizer: organizer?.title,
    category: category && String(category.id),
    name,
    email,
    note,
  } as Form['typed']
}

/** In which fields of the form the members of an event are. */
const FIELDS_OF: Record<string, readonly Field[]> = {
  title: ['title'],
  description: ['description'],
  cost: ['cost'],
  website: ['website'],
  categories: ['category'],
  organizer: ['organizer'],
  venue: ['venue', 'address', 'city'],
  start_date: DATES,
  end_date: DATES,
  all_day: DATES,
}
/** A text as it was before a browser sent it: forms end their lines with two characters. */
const plain = (text = '') => text.replace(/\r\n?/g, '\n').trim()

/**
 * The members of an event whose fields say what they said before: a correction leaves them as they are, so that what editors wrote there
 * meanwhile and a form does not show stays, such as links in the description and further categories.
 */
export const untouched = (typed: Form['typed'], before: Form['typed']): string[] =>
  Object.keys(FIELDS_OF).filter((member) =>
    FIELDS_OF[member]!.every((field) => plain(typed[field]) === plain(before[field])),
  )

/** What the fields said when the form was shown; undefined if it does not say so. */
export function shownIn({ typed: { was = '' } }: SentForm): Form['typed'] | undefined {
  try {
    const texts = JSON.parse(was)
    return Object.fromEntries(FIELDS.map((name) => [name, String(texts[name] ?? '')]))
  } catch {
    return undefined
  }
}

/** What was typed into the fields that are shown again. */
export const typedIn = ({ typed }: SentForm): Form['typed'] =>
  Object.fromEntries(FIELDS.map((name) => [name, typed[name]]))
