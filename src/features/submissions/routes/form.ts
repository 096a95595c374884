import type { FastifyRequest } from 'fastify'
import { type SubmissionInput as Input, SubmissionInput } from '../../../../schemas/submission.ts'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import { readParts } from '../../../kernel/input/bodies.ts'
import { readMembers } from '../../../kernel/input/readers.ts'
import { readable } from '../../../kernel/text/html.ts'
import { FIELDS, type Field, type Form, type Problems } from '../../pages/html/submit.ts'
import type { Submission } from '../store/rows.ts'
import type { SentPicture } from './receiving.ts'

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

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
const isTime = (text: string) => /^\d\d:\d\d(:\d\d)?$/.test(text)

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
    ...Object.fromEntries(
      [
        'title',
        'venue',
        'address',
        'city',
        'organizer',
        'cost',
        'website',
        'name',
        'email',
        'note',
        'description',
      ]
        .map((name) => [name, text(name)])
        .filter(([, value]) => value !== ''),
    ),
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

const DATES = ['start_day', 'start_time', 'end_day', 'end_time', 'all_day'] as const
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
