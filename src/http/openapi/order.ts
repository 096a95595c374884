import type { Complete } from './rewrite.ts'

/** Methods in the order in which people need them: those of a list, those of a record, and what does the same as PATCH. */
const METHODS = ['get', 'post', 'patch', 'delete', 'put']
/** Methods of one record in this order. A POST to a record does the same as PATCH, and comes last. */
const OF_RECORDS = ['get', 'patch', 'delete', 'put', 'post']

/** Paths in the order of the tags of their first operations, and the methods of each in a fixed order. */
export function orderPaths(paths: Complete['paths'], tags: string[]): Complete['paths'] {
  const rank = (path: string) => tags.indexOf((Object.values(paths[path]!)[0]!.tags as [string])[0])
  return Object.fromEntries(
    Object.keys(paths)
      .toSorted((a, b) => rank(a) - rank(b))
      .map((path) => {
        const order = path.endsWith('}') ? OF_RECORDS : METHODS
        const methods = Object.entries(paths[path]!).toSorted(
          ([a], [b]) => order.indexOf(a) - order.indexOf(b),
        )
        return [path, Object.fromEntries(methods)]
      }),
  )
}
