import type { Feed, Format } from './format.ts'
import { BASE, print } from './json.ts'
import { CONTEXT, structuredData } from './structured-data.ts'

/** JSON-LD: one event is an object, a list is a graph. */
export const linkedData: Format = {
  extension: 'jsonld',
  type: 'application/ld+json; charset=utf-8',
  open({ single, base }: Feed) {
    const origin = JSON.stringify(base).slice(1, -1)
    const write = (value: object) => print(value).replaceAll(BASE, origin)
    let separator = ''
    return {
      head: () => (single ? '' : `{"@context":"${CONTEXT}","@graph":[`),
      event(event) {
        const thing = structuredData(event)
        const text = separator + write(single ? { '@context': CONTEXT, ...thing } : thing)
        separator = ','
        return text
      },
      foot: () => (single ? '' : ']}'),
    }
  },
}
