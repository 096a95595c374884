import { keyOf, type Message } from './task.ts'

/**
 * Adds a message to those about its record that were never tried, in their order, and returns them: one that it was created, or one that tells
 * of all since. A creation is told by itself, because the node that told before may have told it, and a receiver knows it by its ID.
 */
function joined(known: Message[], message: Message, isWanted: (operation: Message['operation']) => boolean) {
  const last = known.at(-1)
  if (!last) return isWanted(message.operation) ? [message] : []
  if (message.operation === 'deleted') {
    const { from, operation, isUntold } = known[0]!
    return isWanted('deleted') ? [{ ...message, from, isUntold: operation === 'created' || isUntold }] : []
  }
  if (last.operation === 'created')
    return isWanted('updated') ? [last, { ...message, operation: 'updated' as const }] : [last]
  const operation: Message['operation'] = last.isUntold ? 'created' : 'updated'
  return isWanted(operation) ? [...known.slice(0, -1), { ...message, operation, from: last.from }] : []
}

/** The messages of a webhook that were read from the log and never tried, by record, in the order of the log. */
export function openFresh() {
  const messages = new Map<string, Message[]>()
  const set = (key: string, left: Message[]) =>
    left.length > 0 ? messages.set(key, left) : messages.delete(key)
  return {
    /** How many records they are about. */
    size: () => messages.size,
    keys: () => messages.keys(),
    clear: () => messages.clear(),
    /** The numbers of the first changes that they cover. */
    froms: () => [...messages.values()].map(([first]) => first!.from),
    add(message: Message, operations: string[]) {
      const key = keyOf(message)
      set(
        key,
        joined(messages.get(key) ?? [], message, (operation) => operations.includes(operation)),
      )
    },
    /** The next message about a record. */
    first: (key: string): Message | undefined => messages.get(key)?.[0],
    /** Takes out the next message about a record. */
    shift: (key: string) => set(key, messages.get(key)!.slice(1)),
    /** Takes out what another node has told, or stored, up to a change. */
    drop(until: number) {
      for (const [key, known] of messages)
        set(
          key,
          known.filter(({ seq }) => seq > until),
        )
    },
  }
}
