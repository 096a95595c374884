import type { Origin } from '../formats/json.ts'
import type { Store } from '../store/store.ts'
import type { Audience } from './dispatch.ts'
import type { Message } from './line.ts'

const OPERATIONS: Record<string, Message['operation']> = {
  create: 'created',
  delete: 'deleted',
  trash: 'deleted',
}

/** SEAM: replaced by the log of changes of src/store/sync. */
export function openAudience({ db, documents }: Store, origin: Origin): Audience {
  return {
    async read(hook, after) {
      const rows = db.rows<[number, string, number, string, string]>(
        'select seq, kind, record_id, operation, at_utc from changes where seq > ? order by seq limit 200',
        after,
      )
      const messages = rows.flatMap(([seq, kind, record_id, operation, at_utc]): Message[] =>
        hook.kinds.includes(kind as 'event')
          ? [{ seq, kind: kind as 'event', record_id, operation: OPERATIONS[operation] ?? 'updated', at_utc }]
          : [],
      )
      return { messages, next: rows.at(-1)?.[0] ?? after }
    },
    async show(_hook, kind, id) {
      const view = { origin, caller: undefined, single: false }
      const json =
        kind === 'category' || kind === 'tag'
          ? await documents.terms([id], view)
          : await documents.posts([id], view)
      return json[0]
    },
  }
}
