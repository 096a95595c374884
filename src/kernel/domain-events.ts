/** What happens to users and records, by name, and what is told of it. Who says it declares it here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where events are emitted
export interface DomainEvents {}

type Name = keyof DomainEvents
type Listener<N extends Name> = (told: DomainEvents[N]) => Promise<void>

/** What one part of the service does when something happens in another. A listener is awaited inside the transaction of the write: what it throws undoes that. */
export function openDomainEvents() {
  const listeners: { [N in Name]?: Listener<N>[] } = {}
  return {
    /** Adds a listener; they run in the order in which they were added. */
    on<N extends Name>(name: N, listener: Listener<N>) {
      listeners[name] = [...(listeners[name] ?? []), listener] as never
    },
    /** Whether anybody listens. What is told need not be computed otherwise. */
    hears: (name: Name): boolean => listeners[name] !== undefined,
    async emit<N extends Name>(name: N, told: DomainEvents[N]) {
      for (const listener of listeners[name] ?? []) await listener(told)
    },
  }
}
export type EventBus = ReturnType<typeof openDomainEvents>
