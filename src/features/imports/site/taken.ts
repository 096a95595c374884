import { createHash } from 'node:crypto'
import type { RecordKind } from '../../../calendar/store.ts'

/** A record as a source shows it. */
export type Shown = Record<string, unknown>

/** The kinds of records that events are linked to. */
export const LINKED = ['venue', 'organizer', 'category', 'tag'] as const
export type Linked = (typeof LINKED)[number]

/** What is taken of a record of a source. All IDs in it are those of the source. */
export type Taken = {
  kind: RecordKind
  id: number
  /** How reports name it. */
  name: string
  /** The members of a request that would create it, without what it is linked to. */
  body: Record<string, unknown>
  /** The address of its picture; null if it has none. */
  image: string | null
  links: Record<Linked, number[]>
  /** The term or event above it; 0 for none. */
  parent: number
  /** Its translations into other languages. */
  translations: number[]
  /** Which date of which series an event is, and in which members it differs from it. */
  date?: { series: number; id: string; overrides: string[] }
  /** Records that it shows whole, and that the source may list nowhere else. */
  inside: Taken[]
  /** The ID that it is to have here, where that of the source belongs to another record. */
  keeps?: number
  /** Why it can not be taken. */
  refused?: string
}

/** A record without anything. */
export const blank = (kind: RecordKind, id: number): Taken => ({
  ...{ kind, id, name: '', body: {}, image: null, parent: 0, translations: [], inside: [] },
  links: { venue: [], organizer: [], category: [], tag: [] },
})

/** What a record is remembered by: equal as long as the source shows the same of it. Without pictures, or with another category, it is another one. */
export function digestOf(
  { body, image, links, parent, translations, date }: Taken,
  withMedia: boolean,
  category?: string,
): string {
  const whole = [body, withMedia ? image : undefined, links, parent, [...translations].sort(), date]
  if (category !== undefined) whole.push(category)
  return createHash('sha256').update(JSON.stringify(whole)).digest('base64url').slice(0, 27)
}

/** A whole number above 0, as a number or as text; 0 for anything else. */
export const idOf = (value: unknown): number =>
  /^[1-9]\d{0,14}$/.test(String(value)) && typeof value !== 'object' ? Number(value) : 0

/** The text of a member, which some sources send as a number; undefined where there is none. */
export function textOf(record: Shown, name: string): string | undefined {
  const value = record[name]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Whether a record is of a calendar like this one, which shows names as plain text, while WordPress shows them as HTML. */
export const isPlain = (record: Shown) => typeof record.language === 'string'

/** Plain text as a request has to send it, where names are read as HTML. */
export const asHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Some members that are lines of text; null for those that a record does not have, so that an update clears them. */
export const linesOf = (record: Shown, names: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(
    names.map((name) => {
      const text = textOf(record, name)
      return [name, text === undefined ? null : isPlain(record) ? asHtml(text) : text]
    }),
  )

/** Some members as they are, as far as a record has them. */
export const membersOf = (record: Shown, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))

/** The objects in a member, which is a list, a single object, or nothing. */
export const objectsOf = (value: unknown): Shown[] =>
  [value].flat().filter((one): one is Shown => typeof one === 'object' && one !== null && !Array.isArray(one))

/** The IDs of the translations of a record into other languages. */
export const translationsOf = ({ id, translations }: Shown): number[] =>
  Object.values((translations ?? {}) as object)
    .map(idOf)
    .filter((other) => other > 0 && other !== id)

/** The address of the picture of a record. */
export const pictureOf = ({ image }: Shown): string | null =>
  objectsOf(image)
    .map(({ url }) => url)
    .find((url) => typeof url === 'string') ?? null
