import type { Origin } from '../../calendar/formats/json.ts'
import type { Store } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Interest, Kind } from '../sync/sources.ts'
import type { SyncChange } from '../sync/sync.ts'
import { refusalToTell, seesAll, type Webhook } from './owner.ts'
import type { Message } from './task.ts'

/** Most records of which changes are read at once. */
const MOST = 100

const OPERATIONS = { create: 'created', update: 'updated', delete: 'deleted' } as const
/**
 * The messages of a change of the log. That a record was created is told with the change which did so, and what came later with its own:
 * what is read together differs from node to node, and the ID of a message must not.
 */
function messagesOf({ kind, id, operation, first, entered, last }: SyncChange): Message[] {
  const { seq, at_utc } = last!
  const told = { kind, record_id: id }
  if (operation !== 'create')
    return [{ ...told, operation: OPERATIONS[operation], from: first!, seq, at_utc }]
  const created = { ...told, operation: OPERATIONS.create, from: first!, ...entered! }
  if (entered!.seq === seq) return [created]
  return [created, { ...told, operation: OPERATIONS.update, from: entered!.seq + 1, seq, at_utc }]
}

const interestOf = ({ interest }: Webhook) => interest as Interest

/** What webhooks are told: what everyone may see, or if they ask for statuses, what their owner may see at that moment. */
export function openAudience({ sync, webhooks }: Pick<Store, 'sync' | 'webhooks'>, origin: Origin) {
  /** Who sees. Throws if that may tell nothing. */
  function audienceOf(hook: Webhook) {
    const owner = webhooks.owner(hook)
    const refusal = refusalToTell(hook, owner)
    if (refusal !== undefined) throw new Error(refusal)
    return { origin, caller: seesAll(hook) ? { id: owner!.id, role: owner!.role } : undefined }
  }
  return {
    /** Why a webhook may tell nothing now; undefined if it may. */
    refusal: (hook: Webhook) => refusalToTell(hook, webhooks.owner(hook)),
    /** The messages of the changes after a number, and the last change that was read; or that these changes are no longer known. */
    async read(hook: Webhook, after: number): Promise<{ messages: Message[]; next: number } | 'gap'> {
      const interest = interestOf(hook)
      try {
        const page = await sync.read(interest, { at: after }, audienceOf(hook), MOST)
        return { messages: page.changes.flatMap(messagesOf), next: page.next.at }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'sync-token-expired') return 'gap'
        throw error
      }
    },
    /** The JSON of a record; undefined if the webhook does not see it, or its filters exclude it. */
    async show(hook: Webhook, kind: Kind, id: number): Promise<Buffer[] | undefined> {
      const interest = interestOf(hook)
      return sync.show(interest, kind, id, audienceOf(hook))
    },
  }
}
export type Audience = ReturnType<typeof openAudience>
