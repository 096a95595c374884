import { useEffect, useState } from 'preact/hooks'

/** A value that parts of the desk share and follow. */
export function signal<T>(value: T) {
  const listeners = new Set<(value: T) => void>()
  return {
    get: () => value,
    set(next: T) {
      value = next
      for (const listen of listeners) listen(value)
    },
    /** The value in a component, which is drawn again when it changes. */
    use(): T {
      const [current, setCurrent] = useState(value)
      useEffect(() => {
        const listen = (next: T) => setCurrent(() => next)
        listen(value)
        listeners.add(listen)
        return () => void listeners.delete(listen)
      }, [])
      return current
    },
  }
}
export type Signal<T> = ReturnType<typeof signal<T>>
