import type { FoundPictures, Pictures } from '../../../calendar/media/pictures.ts'
import type { RecordKind, Store, Write, Writer } from '../../../calendar/store.ts'
import type { ApiError } from '../../../kernel/errors.ts'
import { problemOfPicture, reasonOf } from '../files/reading.ts'
import { type Input, openReading, writesOf } from './kinds.ts'
import type { Memory } from './memory.ts'
import { openRelations } from './relations.ts'
import type { Outcome, Reporting } from './report.ts'
import { type DatesOf, openSeriesDates } from './series.ts'
import { digestOf, type Taken } from './taken.ts'
import { failed } from './web.ts'

/** What writes what was taken. */
export type WriterOptions = {
  store: Store
  pictures: Pick<Pictures, 'bring' | 'discard'>
  writer: Writer
  memory: Memory
  reporting: Reporting
  /** The events that the series of the source have, by the IDs of these. */
  dates: DatesOf
  /** Whether pictures are downloaded. */
  media: boolean
  /** Tells what would be done, and writes nothing. */
  dryRun: boolean
  /** The name of a category that all events get as well. */
  category?: string | undefined
}

/** What became of a record; whether it lacks something that may come later in this import, or is to be looked at in the next one. */
type Done = { outcome: Outcome; why?: string; isLacking?: boolean; isOpen?: true }
/** A record that was read, and is to be written. */
type Ready = { taken: Taken; digest: string; input: Input; found: FoundPictures }

/** Pictures that are brought at the same time. */
const AT_ONCE = 2
const NOTHING: FoundPictures = new Map()

const EDITED = 'it was edited here since'
const DELETED = 'it was deleted here'

/** Writes what was taken, each record by the operation that requests use. */
export function openWriter(options: WriterOptions) {
  const { store, pictures, memory, reporting, media, dryRun, category } = options
  const writes = writesOf(store)
  const read = openReading(store.site.languages)
  const { linksOf, relationsOf } = openRelations(store, memory)
  const series = openSeriesDates(store, memory, options.dates)

  /** Why a record here is not to be written; undefined if it may be. */
  async function whyLeft(w: Pick<Write, 'tx'>, kind: RecordKind, id: number): Promise<string | undefined> {
    const row = memory.find(kind, id)
    if (row === undefined) return undefined
    const state = await store.imports.state(w.tx, kind, row.record_id)
    // a term that was gone from the source was deleted
    if (state === undefined) return row.gone ? undefined : DELETED
    if (state.status === 'trash' && !row.gone) return DELETED
    return state.version === row.version ? undefined : EDITED
  }

  /** The picture of a record as its input has it, and its files. */
  async function bring(taken: Taken): Promise<{ image?: object | null; found: FoundPictures; why?: string }> {
    if (!media || !('image' in taken)) return { found: NOTHING }
    if (taken.image === null) return { image: null, found: NOTHING }
    const image = { url: taken.image }
    try {
      return { image, found: dryRun ? NOTHING : await pictures.bring({ image }, options.writer.caller) }
    } catch (error) {
      return {
        found: NOTHING,
        why: `its picture ${taken.image} was not taken: ${problemOfPicture(error) ?? reasonOf(error)}`,
      }
    }
  }

  /** Writes a record in its transaction. */
  async function settle(w: Write, { taken, digest, input }: Ready): Promise<Done> {
    const { kind, id } = taken
    const date = await series.find(w, taken)
    if (date === 'later') return { outcome: 'same', isOpen: true }
    const why = await whyLeft(w, kind, id)
    if (why !== undefined) return { outcome: 'left', why }
    const linked =
      kind === 'event' || kind === 'series' ? await linksOf(w, taken) : { input: {}, lacking: [] }
    const related = await relationsOf(w, taken)
    const { categories } = linked.input as { categories?: unknown[] }
    const more = category !== undefined && categories ? { categories: [...categories, category] } : {}
    const whole = { ...input, ...linked.input, ...more, ...related.input }
    const lacking = [...linked.lacking, ...related.lacking]
    const row = memory.find(kind, id)
    if (!row && (await store.imports.isNoted(w.tx, memory.source.id, kind, id)))
      throw failed('another import from this source is under way; wait until it has ended')
    const isThere = row !== undefined && (await store.imports.state(w.tx, kind, row.record_id)) !== undefined
    const before = kind === 'series' && isThere ? await store.imports.dates(w.tx, row.record_id) : []
    const keeping =
      kind === 'series'
        ? { ...w, ids: { ofDate: await series.idsOf(w, id) }, long: { since: series.firstOf(id) } }
        : { ...w, ids: {} }
    const { record, ...adopted } = isThere ? { record: row.record_id } : await create(keeping, taken, whole)
    if (isThere)
      await writes[kind].update(keeping, record, date ? await series.inputOf(w, taken, record, whole) : whole)
    const { version } = (await store.imports.state(w.tx, kind, record))!
    const isNew = !isThere || (row.digest === '' && row.made_run === memory.run)
    const kept = { record_id: record, digest: lacking.length > 0 ? '' : digest, version }
    await memory.note(w, taken, { ...kept, ...adopted })
    if (kind === 'series') await series.note(w, id, record, before)
    return { outcome: isNew ? 'created' : 'changed', isLacking: lacking.length > 0 }
  }

  /** Creates a record, with its ID if that is kept and free; a term of this name that is there already is taken instead. */
  async function create(
    w: Write,
    { kind, id, keeps: own = id }: Taken,
    input: Input,
  ): Promise<{ record: number; made_run?: null }> {
    const isKept = memory.source.keeps_ids && (await store.imports.isFree(w.tx, kind, own))
    const ids = { ...w.ids, ...(isKept && { own }) }
    try {
      return { record: await writes[kind].create({ ...w, ids }, input) }
    } catch (error) {
      const { code, data } = error as ApiError
      if (code !== 'term_exists') throw error
      return { record: data.term_id as number, made_run: null }
    }
  }

  /** What would become of a record. */
  async function foresee({ taken }: Ready): Promise<Done> {
    const w = { tx: store.db.read }
    const why = await whyLeft(w, taken.kind, taken.id)
    if (why !== undefined) return { outcome: 'left', why }
    return { outcome: memory.find(taken.kind, taken.id) === undefined ? 'created' : 'changed' }
  }

  async function write(ready: Ready): Promise<Done> {
    if (dryRun) return foresee(ready)
    const images = { bring: async () => ready.found, discard: pictures.discard.bind(pictures) }
    const input = { body: ready.input, given: {}, ignored: [], isLong: ready.taken.kind === 'series' }
    try {
      const { done } = await store.write(options.writer, input, images, (w, body) =>
        settle(w, { ...ready, input: body }),
      )
      return done
    } catch (error) {
      return { outcome: 'refused', why: reasonOf(error) }
    }
  }

  /** A record as it is to be written; undefined if nothing is to be done with it. */
  async function prepare(taken: Taken, again: boolean): Promise<Ready | undefined> {
    const row = memory.find(taken.kind, taken.id)
    const digest = digestOf(taken, media, category)
    if (taken.refused !== undefined) reporting.tell(taken, 'refused', taken.refused)
    else if (row && !row.gone && row.digest === digest) reporting.tell(taken, 'same')
    else {
      const given = read(taken)
      if ('refused' in given) reporting.tell(taken, 'refused', given.refused)
      else {
        const { image, found, why } = await bring(taken)
        const notes = [...given.notes, ...(why === undefined ? [] : [why])]
        if (!again) for (const note of notes) reporting.note(taken, note)
        const input = { ...given.input, ...(image !== undefined && { image }) }
        return { taken, digest: why === undefined ? digest : '', input, found }
      }
    }
    return undefined
  }

  return {
    /**
     * Writes records, in one transaction for all of them, in which each fails alone. Returns those that lack something which may come
     * later; whether all were taken says `isWhole`. What becomes of those that are written `again` was told before.
     */
    async write(all: Taken[], again = false): Promise<{ lacking: Taken[]; isWhole: boolean }> {
      const ready: (Ready | undefined)[] = []
      let next = 0
      const work = async () => {
        for (let at = next++; at < all.length; at = next++) ready[at] = await prepare(all[at]!, again)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      const lacking: Taken[] = []
      const known = ready.filter((one) => one !== undefined)
      let isWhole = all.every(({ refused }) => refused === undefined)
      const done = await Promise.all(known.map(write))
      for (const [at, { outcome, why, isLacking, isOpen }] of done.entries()) {
        const { taken, digest } = known[at]!
        if (!again) reporting.tell(taken, outcome, why)
        if (isLacking) lacking.push(taken)
        if (isLacking || isOpen || digest === '' || outcome === 'refused' || outcome === 'left')
          isWhole = false
      }
      return { lacking, isWhole }
    },
  }
}
export type Writing = ReturnType<typeof openWriter>
