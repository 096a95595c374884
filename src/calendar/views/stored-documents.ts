import { isUtf8 } from 'node:buffer'
import { LRUCache } from 'lru-cache'
import type { Refs } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { unpacked } from '../formats/packed.ts'
import type { Post } from '../formats/records.ts'
import { BASE, HOST } from '../formats/urls.ts'
import { deriveDocument } from '../records/derived.ts'

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [OPEN_OBJECT, END_OBJECT, OPEN_LIST, END_LIST] = [123, 125, 91, 93]

/** The bytes that JSON has outside of strings, brackets apart: white space is never stored. */
const PLAIN = new Uint8Array(256)
for (const byte of Buffer.from('-+.0123456789eEtrufalsn,:')) PLAIN[byte] = 1
/** The bytes that may follow a backslash. */
const ESCAPED = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrtu')) ESCAPED[byte] = 1
const SPACE = 32

const isMarker = (byte: number) => byte >= BASE.charCodeAt(0) && byte <= HOST.charCodeAt(0)

/** The place of the quote that ends the string that another begins; -1 if it does not end, or has what a string can not have. */
function endOfString(json: Buffer, start: number): number {
  // a marker stands only there
  for (let at = start + (isMarker(json[start + 1]!) ? 2 : 1); at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) return at
    if (byte < SPACE || (byte === BACKSLASH && ESCAPED[json[++at]!] !== 1)) return -1
  }
  return -1
}

/**
 * How stored JSON ends: with which brackets missing, from the innermost, and whether inside a member. Undefined if something is cut off elsewhere or
 * does not belong there. Strings, brackets and the bytes between them are looked at, which takes less time than parsing; numbers and words are read
 * at the end only.
 */
function endOf(json: Buffer): { missing: string; isValue: boolean } | undefined {
  const open: number[] = []
  let beforeString = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) {
      beforeString = json[at - 1]!
      at = endOfString(json, at)
      if (at < 0) return undefined
    } else if (byte === OPEN_OBJECT) open.push(END_OBJECT)
    else if (byte === OPEN_LIST) open.push(END_LIST)
    else if (byte === END_OBJECT || byte === END_LIST) {
      if (open.pop() !== byte) return undefined
    } else if (PLAIN[byte] === 0 || open.length === 0) return undefined
  }
  const isString = json[json.length - 1] === QUOTE
  const isValue = isString
    ? beforeString === COLON
    : VALUE.test(json.toString('latin1', Math.max(0, json.length - 5)))
  return { missing: String.fromCharCode(...open.reverse()), isValue }
}
/** The end of a value that is no string. */
const VALUE = /(?:\d|true|false|null|[\]}])$/

const isText = (json: unknown): json is Buffer =>
  Buffer.isBuffer(json) && isUtf8(json) && json[0] === OPEN_OBJECT

/** Whether stored JSON is an object with members that waits for more of them. */
export function isOpenObject(json: unknown): json is Buffer {
  const end = isText(json) ? endOf(json) : undefined
  return end?.missing === '}' && end.isValue
}

/** Whether JSON-LD of an event, which its place and host complete, or of another record is whole. */
export function isLinkedData(json: unknown): json is Buffer {
  const end = isText(json) ? endOf(json) : undefined
  if (!end) return false
  const { missing, isValue } = end
  const last = (json as Buffer).at(-1)
  return (
    missing === '' || (missing === '}' && (isValue || last === COLON)) || (missing === ']}' && last === COMMA)
  )
}

/** What is stored of a post for responses. */
export type StoredPost = Pick<Post, 'id' | 'status' | 'author_id' | 'translation_group'> & {
  protected: boolean
  /** The links of an event; null for venues and organizers. */
  refs: Refs | null
  body: Buffer
  blanked: Buffer | null
  /** Null unless it was asked for. */
  json_ld: Buffer | null
}
/** A post whose stored document was of no use. */
type Damage = { id: number; what: 'is missing' | 'is damaged' }

const postsWith = (
  part: string,
) => `select post_id, status, author_id, translation_group, protected, refs, body, blanked, ${part}
  from documents where post_id in (select value from json_each(?))`
const POSTS = postsWith('null')
const POSTS_WITH_JSON_LD = postsWith('json_ld')
type Columns = [
  ...[id: number, status: Post['status'], author_id: number, translation_group: number | null],
  ...[isProtected: 0 | 1, refs: string | null, body: Buffer, blanked: Buffer | null, json_ld: Buffer | null],
]
const JSON_LD = 'select post_id, json_ld from documents where post_id in (select value from json_each(?))'

/** Records whose damage is reported once and not again. */
const MOST_REPORTED = 1_000

/** The member that events have, and venues and organizers do not. Inside a text its quotes would be escaped. */
const START = Buffer.from('"start_date":')

/** Written out, as it is asked for each event of a list. */
const areRefs = ({ venue, organizer, category, tag }: Record<keyof Refs, unknown>) =>
  Array.isArray(venue) && Array.isArray(organizer) && Array.isArray(category) && Array.isArray(tag)

/** Links as they are stored; undefined if they are none. */
function readRefs(text: string | null): Refs | null | undefined {
  if (text === null) return null
  try {
    const refs = JSON.parse(text)
    return areRefs(refs) ? refs : undefined
  } catch {
    return undefined
  }
}

/** Numbers of records, in little memory. */
function openMarks() {
  const blocks = new Map<number, number>()
  const maskOf = (id: number) => 1 << (id % 32)
  const blockOf = (id: number) => Math.floor(id / 32)
  return {
    has: (id: number) => ((blocks.get(blockOf(id)) ?? 0) & maskOf(id)) !== 0,
    add: (id: number) => void blocks.set(blockOf(id), (blocks.get(blockOf(id)) ?? 0) | maskOf(id)),
  }
}

/**
 * Reads stored documents. One that is missing or damaged is derived again from the rows of its record, at each read, and reported. All bytes are looked
 * at when this process reads a document first, later only what a reader would fail at.
 */
export function openStoredDocuments({ rows, read }: Pick<Db, 'rows' | 'read'>, site: Pick<Site, 'currency'>) {
  const [known, knownLinkedData] = [openMarks(), openMarks()]
  const reported = new LRUCache<number, true>({ max: MOST_REPORTED })
  let listener = (_: Damage) => {}

  function report(id: number, what: Damage['what']) {
    if (!reported.has(id)) listener({ id, what })
    reported.set(id, true)
  }

  /** JSON-LD from how it is stored, of an event with its body; undefined if it is damaged. */
  function linkedDataOf(id: number, part: unknown, body?: Buffer): Buffer | undefined {
    const json = unpacked(part, body)
    if (!json || !(knownLinkedData.has(id) || isLinkedData(json))) return undefined
    knownLinkedData.add(id)
    return json
  }

  /** A document as it is stored, with `single` with its JSON-LD; undefined if it is damaged. */
  function soundOf(columns: Columns, single: boolean): StoredPost | undefined {
    const [id, status, author_id, translation_group, isProtected, text, own, other, linked] = columns
    const refs = readRefs(text)
    const body = unpacked(own)
    const blanked = other && unpacked(other)
    if (refs === undefined || !body || blanked === undefined) return undefined
    if (refs && isProtected === 1 && !blanked) return undefined
    if (!known.has(id)) {
      const parts = blanked ? [body, blanked] : [body]
      if (!parts.every(isOpenObject) || body.includes(START) !== (refs !== null)) return undefined
      known.add(id)
    }
    const json_ld = single ? linkedDataOf(id, linked, refs ? body : undefined) : null
    if (json_ld === undefined) return undefined
    // written out, because a spread takes a part of a list that one can measure
    const isOwn = isProtected === 1
    return { id, status, author_id, translation_group, protected: isOwn, refs, body, blanked, json_ld }
  }

  /** The documents of those of these posts that exist. */
  function derive(ids: number[], damaged: Set<number>) {
    return ids.flatMap((id) => {
      const document = deriveDocument(read, site, id)
      if (!document) return []
      report(id, damaged.has(id) ? 'is damaged' : 'is missing')
      return [{ id, ...document }]
    })
  }

  return {
    /** Calls `listen` once for each record whose document is missing or damaged. */
    onDamage(listen: (damage: Damage) => void) {
      listener = listen
    },
    /** The documents of the posts that exist among these, in any order; with `single` with their JSON-LD. */
    posts(ids: number[], single = false): StoredPost[] {
      const found: StoredPost[] = []
      const lost = new Set(ids)
      const damaged = new Set<number>()
      for (const columns of rows<Columns>(single ? POSTS_WITH_JSON_LD : POSTS, JSON.stringify(ids))) {
        const sound = soundOf(columns, single)
        if (sound) lost.delete(sound.id)
        if (sound) found.push(sound)
        else damaged.add(columns[0])
      }
      return lost.size === 0 ? found : [...found, ...derive([...lost], damaged)]
    },
    /** The JSON-LD of these venues and organizers, by ID. */
    jsonLd(ids: number[]): Map<number, Buffer> {
      const stored = new Map(rows<[number, Buffer]>(JSON_LD, JSON.stringify(ids)))
      const found = new Map<number, Buffer>()
      const lost: number[] = []
      for (const id of ids) {
        const json = linkedDataOf(id, stored.get(id))
        if (json) found.set(id, json)
        else lost.push(id)
      }
      if (lost.length > 0)
        for (const { id, json_ld } of derive(lost, new Set(stored.keys()))) found.set(id, json_ld)
      return found
    },
  }
}
