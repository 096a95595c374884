import type { Imported, ImportSource, PostKind, Store, Write } from '../../../calendar/store.ts'
import { type Following, type Found, OWN } from '../files/following.ts'
import type { Kind } from '../files/item.ts'

type InTransaction = Pick<Write, 'tx'>

const ELSEWHERE = 'it is here from elsewhere'
const EDITED = 'it was edited here since'
const DELETED = 'it was deleted here'
const TRASH = { status: 'trash' } as never
const keyOf = (kind: PostKind, id: number) => `${kind} ${id}`

/** What is remembered of the records that a feed gave, by the records here. */
export async function openFeedMemory({ imports, events, series }: Store, source: ImportSource, run: number) {
  const rows = new Map<string, Imported>()
  for (const row of await imports.of(source.id)) rows.set(keyOf(row.kind as PostKind, row.record_id), row)
  const find = (kind: Kind, id: number) => rows.get(keyOf(kind, id))

  /** Notes the state that a record has after it was written. */
  async function note(
    { tx }: InTransaction,
    { kind, id }: Found,
    more: Pick<Imported, 'digest'> & Partial<Pick<Imported, 'gone'>>,
  ) {
    const state = await imports.state(tx, kind, id)
    const known = find(kind, id)
    const row: Imported = {
      ...{ source_id: source.id, kind, remote_id: id, record_id: id, run_id: run, gone: false },
      made_run: known ? known.made_run : run,
      ...{ version: state!.version, ...more },
    }
    await imports.note(tx, row)
    rows.set(keyOf(kind, id), row)
  }

  const following: Following = {
    isSame(found, digest) {
      const row = find(found.kind, found.id)
      return row !== undefined && !row.gone && row.digest === digest
    },
    async whyLeft({ tx }, { kind, id }) {
      const row = find(kind, id)
      if (row === undefined) return ELSEWHERE
      const state = await imports.state(tx, kind, id)
      if (state?.status === 'trash' && !row.gone) return DELETED
      return state?.version === row.version ? undefined : EDITED
    },
    async whyDateLeft({ tx }, series, id) {
      const row = find('event', id)
      const state = await imports.state(tx, 'event', id)
      if (row) return state?.version === row.version ? undefined : EDITED
      return (await imports.ownDates(tx, series)).some((own) => own.id === id) ? EDITED : undefined
    },
    async replace(w, found) {
      const { kind, id } = found
      if ((await imports.state(w.tx, kind, id))?.status !== 'trash')
        await (kind === 'event' ? events.update(w, { id }, TRASH) : series.update(w, { id }, TRASH, false))
      await note(w, found, { digest: '', gone: true })
    },
    async keep({ tx }, series, work) {
      const before = new Map((await imports.dates(tx, series)).map(({ id, version }) => [id, version]))
      const done = await work()
      for (const { id, version } of await imports.dates(tx, series)) {
        const row = find('event', id)
        if (row && row.version === before.get(id) && row.version !== version)
          await note({ tx }, { kind: 'event', id }, { digest: row.digest })
      }
      return done
    },
    isOwn: (id) => find('event', id)?.digest === OWN,
    note: (w, found, digest) => note(w, found, { digest }),
  }

  return {
    following,
    /** Notes that a record is gone from the feed. */
    noteGone: (w: InTransaction, found: Found) => note(w, found, { digest: '', gone: true }),
  }
}
export type FeedMemory = Awaited<ReturnType<typeof openFeedMemory>>
