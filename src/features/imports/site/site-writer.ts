import type { FoundPictures } from '../../../calendar/media/pictures.ts'
import type { Store, Write } from '../../../calendar/store.ts'
import type { ApiError } from '../../../kernel/errors.ts'
import {
  type Body as Input,
  missingText,
  openBodies,
  problemOfPicture,
  problemsText,
  reasonOf,
} from '../files/items.ts'
import { DELETED, EDITED } from '../removals.ts'
import type { RecordKind } from '../store.ts'
import { type DatesOf, openSeriesDates } from './series.ts'
import type { SiteImport } from './site-import.ts'
import { digestOf, LINKED, type Linked, type SourceRecord } from './source-records.ts'
import type { Outcome, Reporting, SyncState } from './sync-state.ts'
import { failed } from './web.ts'

/** What the writer works with. */
type WriterOptions = Pick<SiteImport, 'store' | 'pictures' | 'writer' | 'category'> & {
  sync: SyncState
  reporting: Reporting
  /** The events that the series of the source have, by the IDs of these. */
  dates: DatesOf
  /** Whether pictures are downloaded. */
  media: boolean
  /** Tells what would be done, and writes nothing. */
  dryRun: boolean
}

/** What became of a record; whether it lacks something that may come later in this import, or is to be looked at in the next one. */
type Done = { outcome: Outcome; why?: string; isLacking?: boolean; isOpen?: true }
/** A record that was read, and is to be written. */
type Prepared = { remote: SourceRecord; digest: string; input: Input; found: FoundPictures }

/** Pictures that are brought at the same time. */
const AT_ONCE = 2
const NOTHING: FoundPictures = new Map()

/**
 * Writes the records of a source, each by the operation that requests use, in one transaction for all that are given, in which each fails
 * alone. Gives those that lack something which may come later; whether all were imported says `isWhole`. What becomes of those that are
 * written `again` was reported before.
 */
export function openWriter(options: WriterOptions) {
  const { store, pictures, sync, reporting, media, dryRun } = options
  const { events: event, series: repeated, venues: venue, organizers: organizer } = store
  const { categories: category, tags: tag } = store
  const writes = { event, series: repeated, venue, organizer, category, tag }
  const read = openReading(store.site.languages)
  const { linksOf, relationsOf } = openRelations(store, sync)
  const series = openSeriesDates(store, sync, options.dates)

  /** Why a record here is not to be written; undefined if it may be. */
  async function whyLeft(w: Pick<Write, 'tx'>, kind: RecordKind, id: number): Promise<string | undefined> {
    const row = sync.find(kind, id)
    if (row === undefined) return undefined
    const state = await store.imports.state(w.tx, kind, row.record_id)
    // a term that was gone from the source was deleted
    if (state === undefined) return row.gone ? undefined : DELETED
    if (state.status === 'trash' && !row.gone) return DELETED
    return state.version === row.version ? undefined : EDITED
  }

  /** The picture of a record as its input has it, and its files. */
  async function fetchPicture(
    remote: SourceRecord,
  ): Promise<{ image?: object | null; found: FoundPictures; why?: string }> {
    if (!media || !('image' in remote)) return { found: NOTHING }
    if (remote.image === null) return { image: null, found: NOTHING }
    const image = { url: remote.image }
    try {
      return { image, found: dryRun ? NOTHING : await pictures.bring({ image }, options.writer.caller) }
    } catch (error) {
      return {
        found: NOTHING,
        why: `its picture ${remote.image} was not taken: ${problemOfPicture(error) ?? reasonOf(error)}`,
      }
    }
  }

  /** Writes a record in its transaction. */
  async function writeRecord(w: Write, { remote, digest, input }: Prepared): Promise<Done> {
    const { kind, id } = remote
    const date = await series.find(w, remote)
    if (date === 'later') return { outcome: 'same', isOpen: true }
    const why = await whyLeft(w, kind, id)
    if (why !== undefined) return { outcome: 'left', why }
    const linked =
      kind === 'event' || kind === 'series' ? await linksOf(w, remote) : { input: {}, lacking: [] }
    const related = await relationsOf(w, remote)
    const { categories } = linked.input as { categories?: unknown[] }
    const more =
      options.category !== undefined && categories ? { categories: [...categories, options.category] } : {}
    const whole = { ...input, ...linked.input, ...more, ...related.input }
    const lacking = [...linked.lacking, ...related.lacking]
    const row = sync.find(kind, id)
    if (!row && (await store.imports.ofThere(sync.source.id, kind, id, w.tx)))
      throw failed('another import from this source is under way; wait until it has ended')
    const isThere = row !== undefined && (await store.imports.state(w.tx, kind, row.record_id)) !== undefined
    const before = kind === 'series' && isThere ? await store.imports.dates(w.tx, row.record_id) : []
    const keeping =
      kind === 'series'
        ? { ...w, ids: { ofDate: await series.idsOf(w, id) }, long: { since: series.firstOf(id) } }
        : { ...w, ids: {} }
    const { record, ...adopted } = isThere ? { record: row.record_id } : await create(keeping, remote, whole)
    if (isThere)
      await writes[kind].update(
        keeping,
        { id: record },
        (date ? await series.inputOf(w, remote, record, whole) : whole) as never,
      )
    const { version } = (await store.imports.state(w.tx, kind, record))!
    const isNew = !isThere || (row.digest === '' && row.made_run === sync.run)
    const kept = { record_id: record, digest: lacking.length > 0 ? '' : digest, version }
    await sync.note(w, remote, { ...kept, ...adopted })
    if (kind === 'series') await series.note(w, id, record, before)
    return { outcome: isNew ? 'created' : 'changed', isLacking: lacking.length > 0 }
  }

  /** Creates a record, with its ID if that is kept and free; a term of this name that is there already is used instead. */
  async function create(
    w: Write,
    { kind, id, keeps: own = id }: SourceRecord,
    input: Input,
  ): Promise<{ record: number; made_run?: null }> {
    const isKept = sync.source.keeps_ids && (await store.imports.isFree(w.tx, kind, own))
    const ids = { ...w.ids, ...(isKept && { own }) }
    try {
      return { record: await writes[kind].create({ ...w, ids }, input as never) }
    } catch (error) {
      const { code, data } = error as ApiError
      if (code !== 'term_exists') throw error
      return { record: data.term_id as number, made_run: null }
    }
  }

  /** What would become of a record. */
  async function predict({ remote }: Prepared): Promise<Done> {
    const w = { tx: store.db.read }
    const why = await whyLeft(w, remote.kind, remote.id)
    if (why !== undefined) return { outcome: 'left', why }
    return { outcome: sync.find(remote.kind, remote.id) === undefined ? 'created' : 'changed' }
  }

  async function write(ready: Prepared): Promise<Done> {
    if (dryRun) return predict(ready)
    const images = { bring: async () => ready.found, discard: pictures.discard.bind(pictures) }
    const input = { body: ready.input, given: {}, ignored: [], isLong: ready.remote.kind === 'series' }
    try {
      const { done } = await store.write(options.writer, input, images, (w, body) =>
        writeRecord(w, { ...ready, input: body }),
      )
      return done
    } catch (error) {
      return { outcome: 'refused', why: reasonOf(error) }
    }
  }

  /** A record as it is to be written; undefined if nothing is to be done with it. */
  async function prepare(remote: SourceRecord, again: boolean): Promise<Prepared | undefined> {
    const row = sync.find(remote.kind, remote.id)
    const digest = digestOf(remote, media, options.category)
    if (remote.refused !== undefined) reporting.add(remote, 'refused', remote.refused)
    else if (row && !row.gone && row.digest === digest) reporting.add(remote, 'same')
    else {
      const given = read(remote)
      if ('refused' in given) reporting.add(remote, 'refused', given.refused)
      else {
        const { image, found, why } = await fetchPicture(remote)
        const notes = [...given.notes, ...(why === undefined ? [] : [why])]
        if (!again) for (const note of notes) reporting.note(remote, note)
        const input = { ...given.input, ...(image !== undefined && { image }) }
        return { remote, digest: why === undefined ? digest : '', input, found }
      }
    }
    return undefined
  }

  return async (
    all: SourceRecord[],
    again = false,
  ): Promise<{ lacking: SourceRecord[]; isWhole: boolean }> => {
    const ready: (Prepared | undefined)[] = []
    let next = 0
    const work = async () => {
      for (let at = next++; at < all.length; at = next++) ready[at] = await prepare(all[at]!, again)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const lacking: SourceRecord[] = []
    const known = ready.filter((one) => one !== undefined)
    let isWhole = all.every(({ refused }) => refused === undefined)
    const done = await Promise.all(known.map(write))
    for (const [at, { outcome, why, isLacking, isOpen }] of done.entries()) {
      const { remote, digest } = known[at]!
      if (!again) reporting.add(remote, outcome, why)
      if (isLacking) lacking.push(remote)
      if (isLacking || isOpen || digest === '' || outcome === 'refused' || outcome === 'left') isWhole = false
    }
    return { lacking, isWhole }
  }
}

/** The name of a member by which records are linked, for each kind. */
const MEMBER = { venue: 'venue', organizer: 'organizer', category: 'categories', tag: 'tags' } as const

const isPlace = (kind: Linked) => kind === 'venue' || kind === 'organizer'

/** What records refer to: the records here for those of the source. */
function openRelations(store: Store, sync: SyncState) {
  /** The records here that a record is linked to, and the remote IDs of those that there are none of. */
  async function linksOf(w: Pick<Write, 'tx'>, { links }: SourceRecord) {
    const input: Input = {}
    const lacking: number[] = []
    for (const kind of LINKED) {
      const all = links[kind].map((id) => ({ id, to: sync.recordOf(kind, id) }))
      lacking.push(...all.filter(({ to }) => to === undefined).map(({ id }) => id))
      const ids = all.map(({ to }) => to).filter((to) => to !== undefined)
      input[MEMBER[kind]] = isPlace(kind) ? await placesOf(w, kind, ids) : ids
    }
    return { input, lacking }
  }
  async function placesOf({ tx }: Pick<Write, 'tx'>, kind: 'venue' | 'organizer', ids: number[]) {
    const missing = ids.length > 0 ? await store.imports.missing(tx, kind, ids) : []
    return ids.filter((id) => !missing.includes(id)).map((id) => ({ id }))
  }

  /** The record here, unless it was deleted. */
  async function findThere(w: Pick<Write, 'tx'>, kind: RecordKind, id: number): Promise<number | undefined> {
    const to = sync.recordOf(kind, id)
    return to !== undefined && (await store.imports.state(w.tx, kind, to)) ? to : undefined
  }

  /** What a record refers to beside its links. What was deleted here is not missed. */
  async function relationsOf(w: Pick<Write, 'tx'>, { kind, id, parent, translations }: SourceRecord) {
    const own = sync.find(kind, id)?.record_id
    const others: number[] = []
    for (const other of translations) {
      const to = await findThere(w, kind, other)
      if (to !== undefined && to !== own) others.push(to)
    }
    const above = await findThere(w, kind, parent)
    const name = kind === 'category' ? 'parent' : 'post_parent'
    const input: Input = {
      ...(others.length > 0 && { translation_of: others[0] }),
      ...((kind === 'category' || (kind === 'event' && parent > 0)) && { [name]: above ?? 0 }),
    }
    return { input, lacking: parent > 0 && sync.recordOf(kind, parent) === undefined ? [parent] : [] }
  }

  return { linksOf, relationsOf }
}

/** A body as it was read, and what had to be left out of it; or why nothing can be made of it. */
type BodyReading = { input: Record<string, unknown>; notes: string[] } | { refused: string }

/** Members without which a record is not what it was. */
const VITAL = [
  ...['title', 'venue', 'organizer', 'name', 'status', 'i18n_language', 'recurrence'],
  ...['start_date', 'end_date', 'timezone', 'all_day'],
]

/** Reads bodies of records, of which what is wrong and not vital is left out. */
function openReading(languages: readonly string[]) {
  const read = openBodies(languages)
  return ({ kind, body }: Pick<SourceRecord, 'kind' | 'body'>): BodyReading => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const { value, problems, missing } = read(kind, given)
    const told = (name: string) => problemsText({ [name]: problems[name]! }, { body: given })
    const names = Object.keys(problems).filter((name) => !missing.includes(name))
    const vital = names.filter((name) => VITAL.includes(name)).map(told)
    const wrong = [missingText(missing, { body: given }), ...vital].filter(Boolean)
    if (wrong.length > 0) return { refused: wrong.join(' ') }
    return { input: value, notes: names.map(told) }
  }
}
