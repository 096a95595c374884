import type { EventRecord } from '../../calendar/formats/records.ts'
import type { Store } from '../../calendar/store.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import type { Feed, Format, WholeSeries } from '../feeds/formats/format.ts'

/** Events that are read and written at a time. */
const BATCH = 20

/** Brings series together of which a file has all dates. */
type Repeating<Looked> = {
  find(events: EventRecord[], still: (ids: number[]) => Promise<number[]>): Promise<Looked[]>
  arrange(events: EventRecord[], looked: Looked[]): (EventRecord | WholeSeries)[]
  left(ids: number[]): Iterable<number>
}
/** What a file tells of its calendar, who sees the events, and how those that repeat are written. */
export type Printed<Looked> = { base: string; title: string; caller: Caller; repeating: Repeating<Looked> }

/** Writes events in a format, in the order of their IDs given. */
export async function printEvents<Looked>(
  store: Store,
  { base, title, caller, repeating }: Printed<Looked>,
  format: Format,
  ids: number[],
  write: (text: string) => unknown,
): Promise<void> {
  const { site } = store
  const feed: Feed = {
    ...{ single: false, title, description: title, self: base, home: base, next: undefined, base },
    ...{ host: base.replace(/^\w+:\/\//, ''), site: await store.identity() },
    ...{ language: site.languages[0]!, timezone: site.zone, updated: undefined },
    earliest: () => store.lists.earliest(ids),
  }
  const writer = format.open(feed)
  await write(writer.head())
  const flush = async (some: number[]) => {
    const events = (await store.records.posts(some, { caller })) as EventRecord[]
    const looked = await repeating.find(events, async (all) => all)
    for (const part of repeating.arrange(events, looked))
      await write('dates' in part ? writer.series!(part) : writer.event(part))
  }
  let some: number[] = []
  for (const id of repeating.left(ids)) {
    some.push(id)
    if (some.length < BATCH) continue
    await flush(some)
    some = []
  }
  await flush(some)
  await write(writer.foot())
}
