import type { Role } from '../../src/kernel/access/rights.ts'
import type { Answer, Api } from './app.ts'
import { must } from './events.ts'

type Kind = 'event' | 'venue' | 'organizer' | 'category' | 'tag'
type Shown = { id: number; categories?: Shown[]; tags?: Shown[]; count?: number }
type Told = { kind: Kind; id: number; operation: 'create' | 'update' | 'delete'; record?: Shown }

/** Who follows what: the kinds and filters of `/changes`, and where the API is mounted for it. */
export type Following = { who: Role | 'anonymous'; kind: Kind; query: string; mount?: string }

const PLURALS = {
  ...{ event: 'events', venue: 'venues', organizer: 'organizers' },
  ...{ category: 'categories', tag: 'tags' },
}
/** What a crawl of a list asks for so that it has what is followed: no default dates, and empty terms. */
const WHOLE = {
  ...{ event: 'when=all', venue: '', organizer: '' },
  ...{ category: 'hide_empty=false', tag: 'hide_empty=false' },
}
const keyOf = ({ kind, id }: { kind: Kind; id: number }) => `${kind} ${id}`

/** A record without the numbers inside of it that are not followed: how many events its terms have. */
function plain(record: Shown): string {
  const { categories, tags } = record
  for (const term of [...(categories ?? []), ...(tags ?? [])]) delete term.count
  return JSON.stringify(record)
}

/** A copy that follows the changes of one kind under filters, page by page. */
export function openFollower(api: () => Api, { who, kind, query, mount = '' }: Following) {
  const path = (rest: string) => (mount ? `/${mount}/calendar/events/v1${rest}` : rest)
  const get = (rest: string): Promise<Answer> =>
    mount ? api()[who].get(`/${path(rest)}`) : api()[who].get(rest)
  const records = new Map<string, string>()
  let token: string | undefined
  return {
    name: `${who} ${mount} ${kind} ${query}`,
    records,
    /** Whether a beginning has been read. */
    hasBegun: () => token !== undefined,
    /** Begins anew. */
    forget() {
      token = undefined
      records.clear()
    },
    /** Reads one page; returns what it told and whether there is more. */
    async page(perPage: number): Promise<{ told: Told[]; isMore: boolean }> {
      const from = token === undefined ? `kind=${kind}&${query}` : `sync_token=${token}`
      const { changes, has_more, next_sync_token } = await must(get(`/changes?${from}&per_page=${perPage}`))
      const keys = changes.map(keyOf)
      if (new Set(keys).size !== keys.length) throw new Error(`twice in one answer: ${keys}`)
      if (changes.length > perPage) throw new Error('more than were asked for')
      for (const change of changes as Told[]) {
        if ((change.operation === 'delete') !== (change.record === undefined))
          throw new Error('a record too many or few')
        if (change.record) records.set(keyOf(change), plain(change.record))
        else records.delete(keyOf(change))
      }
      token = next_sync_token
      return { told: changes, isMore: has_more }
    },
    /** What a full crawl of the list shows; undefined if a record that a filter names is gone. */
    async crawl(): Promise<Map<string, string> | undefined> {
      const found = new Map<string, string>()
      for (let page = 1; ; page++) {
        const answer = await get(`/${PLURALS[kind]}?${WHOLE[kind]}&${query}&per_page=50&page=${page}`)
        if (answer.status === 400 && /There is no/.test(answer.text)) return undefined
        const body = await must(Promise.resolve(answer))
        for (const record of body[PLURALS[kind]] as Shown[])
          found.set(keyOf({ kind, id: record.id }), plain(record))
        if (page >= body.total_pages) return found
      }
    },
  }
}
export type Follower = ReturnType<typeof openFollower>
