import type { Writer } from '../format.ts'
import type { EventRecord } from '../records.ts'

/** Writes a JSON object with a list at its end, entry by entry. */
export function jsonWriter(head: object, list: string, entry: (event: EventRecord) => object): Writer {
  let separator = ''
  const begin = JSON.stringify({ ...head, [list]: [] }).slice(0, -2)
  return {
    head: () => begin,
    event(event) {
      const text = separator + JSON.stringify(entry(event))
      separator = ','
      return text
    },
    foot: () => ']}',
  }
}
