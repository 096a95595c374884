import { LRUCache } from 'lru-cache'
import type { Refs } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import type { Post } from '../formats/records.ts'
import { deriveDocument } from '../records/derived.ts'
import { isLinkedData, isOpenObject } from './whole.ts'

/** What is stored of a post for responses. */
export type StoredPost = Pick<Post, 'id' | 'status' | 'author_id' | 'translation_group'> & {
  protected: boolean
  /** The links of an event; null for venues and organizers. */
  refs: Refs | null
  body: Buffer
  blanked: Buffer | null
}
/** A post whose stored document was of no use. */
export type Damage = { id: number; what: 'is missing' | 'is damaged' }

const POSTS = `select post_id, status, author_id, translation_group, protected, refs, body, blanked
  from documents where post_id in (select value from json_each(?))`
type Columns = [
  ...[id: number, status: Post['status'], author_id: number, translation_group: number | null],
  ...[isProtected: 0 | 1, refs: string | null, body: Buffer, blanked: Buffer | null],
]
const JSON_LD = 'select post_id, json_ld from documents where post_id in (select value from json_each(?))'

/** Records whose damage is told once and not again. */
const MOST_TOLD = 1_000

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
 * Reads stored documents. One that is missing or damaged is derived again from the rows of its record, at each read, and told. All bytes are looked
 * at when this process reads a document first, later only what a reader would fail at.
 */
export function openStored({ rows, read }: Pick<Db, 'rows' | 'read'>, site: Pick<Site, 'currency'>) {
  const [known, knownLinkedData] = [openMarks(), openMarks()]
  const told = new LRUCache<number, true>({ max: MOST_TOLD })
  let heard = (_: Damage) => {}

  function tell(id: number, what: Damage['what']) {
    if (!told.has(id)) heard({ id, what })
    told.set(id, true)
  }

  /** A document as it is stored; undefined if it is damaged. */
  function soundOf(columns: Columns): StoredPost | undefined {
    const [id, status, author_id, translation_group, isProtected, text, body, blanked] = columns
    const refs = readRefs(text)
    if (refs === undefined || !Buffer.isBuffer(body)) return undefined
    if (refs && isProtected === 1 && !Buffer.isBuffer(blanked)) return undefined
    if (!known.has(id)) {
      if (!isOpenObject(body) || body.includes(START) !== (refs !== null)) return undefined
      if (blanked && !isOpenObject(blanked)) return undefined
      known.add(id)
    }
    return { id, status, author_id, translation_group, protected: isProtected === 1, refs, body, blanked }
  }

  /** The documents of those of these posts that exist. */
  function derive(ids: number[], damaged: Set<number>) {
    return ids.flatMap((id) => {
      const document = deriveDocument(read, site, id)
      if (!document) return []
      tell(id, damaged.has(id) ? 'is damaged' : 'is missing')
      return [{ id, ...document }]
    })
  }

  return {
    /** Calls `hear` once for each record whose document is missing or damaged. */
    onDamage(hear: (damage: Damage) => void) {
      heard = hear
    },
    /** The documents of the posts that exist among these, in any order. */
    posts(ids: number[]): StoredPost[] {
      const found: StoredPost[] = []
      const lost = new Set(ids)
      const damaged = new Set<number>()
      for (const columns of rows<Columns>(POSTS, JSON.stringify(ids))) {
        const sound = soundOf(columns)
        if (sound) lost.delete(sound.id)
        if (sound) found.push(sound)
        else damaged.add(columns[0])
      }
      return lost.size === 0 ? found : [...found, ...derive([...lost], damaged)]
    },
    /** The JSON-LD of these posts, by ID. */
    jsonLd(ids: number[]): Map<number, Buffer> {
      const stored = rows<[number, Buffer]>(JSON_LD, JSON.stringify(ids))
      const found = new Map(
        stored.filter(([id, json]) => {
          if (knownLinkedData.has(id)) return Buffer.isBuffer(json)
          if (isLinkedData(json)) knownLinkedData.add(id)
          return knownLinkedData.has(id)
        }),
      )
      const lost = ids.filter((id) => !found.has(id))
      if (lost.length > 0) {
        const damaged = new Set(stored.map(([id]) => id))
        for (const { id, json_ld } of derive(lost, damaged)) found.set(id, json_ld)
      }
      return found
    },
  }
}
