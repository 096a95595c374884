import { ApiError } from '../errors.ts'
import type { Origin } from '../formats/json.ts'
import type { Webhook } from '../store/records/webhooks.ts'
import type { Store } from '../store/store.ts'
import type { Interest, Kind } from '../store/sync/interest.ts'
import type { SyncChange } from '../store/sync/sync.ts'
import type { Message } from './task.ts'

/** Most records of which changes are read at once. */
const MOST = 100

const OPERATIONS = { create: 'created', update: 'updated', delete: 'deleted' } as const
const messageOf = ({ kind, id, operation, first, last }: SyncChange): Message => ({
  ...{ kind, record_id: id, operation: OPERATIONS[operation] },
  ...{ from: first!, seq: last!.seq, at_utc: last!.at_utc },
})

/** An administrator without records. */
export const ADMINISTRATOR = { id: 0, role: 'administrator' } as const
const interestOf = ({ interest }: Webhook) => interest as Interest

/** What webhooks are told: what everyone may see, or if they ask for statuses, what an administrator may see. */
export function openAudience({ sync }: Pick<Store, 'sync'>, origin: Origin) {
  const audienceOf = ({ interest: { filters } }: { interest: Interest }) => ({
    origin,
    caller: filters.status === undefined ? undefined : ADMINISTRATOR,
  })
  return {
    /** The messages of the changes after a number, and the last change that was read; or that these changes are no longer known. */
    async read(hook: Webhook, after: number): Promise<{ messages: Message[]; next: number } | 'gap'> {
      const interest = interestOf(hook)
      try {
        const page = await sync.read(interest, { at: after }, audienceOf({ interest }), MOST)
        return { messages: page.changes.map(messageOf), next: page.next.at }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'sync-token-expired') return 'gap'
        throw error
      }
    },
    /** The JSON of a record; undefined if the webhook does not see it, or its filters exclude it. */
    show(hook: Webhook, kind: Kind, id: number): Promise<Buffer[] | undefined> {
      const interest = interestOf(hook)
      return sync.show(interest, kind, id, audienceOf({ interest }))
    },
  }
}
export type Audience = ReturnType<typeof openAudience>
