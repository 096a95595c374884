import { compareSchemes, compareSecurity, compareServers } from './access.ts'
import { compareContents } from './contents.ts'
import { compareSchemaNames, compareTags } from './names.ts'
import { type OpenApi, type Operation, operationsOf, pairs, type Tell } from './openapi.ts'
import { compareDeprecated, compareParameters } from './parameters.ts'
import { buildComparison } from './schemas.ts'

/** A difference of two documents; breaking where a client of the older one may fail with the newer. */
export type Change = { breaking: boolean; where: string; what: string }

/**
 * What changed from the older document to the newer one, breaking changes first. Descriptions and examples are not
 * compared, and neither are callbacks, links and webhooks.
 */
export function compareDocuments(older: OpenApi, newer: OpenApi): Change[] {
  const changes = new Map<string, Change>()
  const tell: Tell = (breaking, where, what) =>
    changes.set(`${Number(!breaking)} ${where} ${what}`, { breaking, where, what })
  const schemas = buildComparison(older, newer, tell)
  const schemes = compareSchemes(older, newer, tell)
  compareServers(tell, 'server', older.servers, newer.servers)
  const [before, after] = [operationsOf(older), operationsOf(newer)]
  const kept: [key: string, before: Operation, after: Operation][] = []
  for (const [key, old, now] of pairs(before, after)) {
    if (!now) tell(true, key, 'was removed')
    else if (!old) tell(false, key, 'is new')
    else kept.push([key, old, now])
  }
  for (const operation of kept) {
    compareOperation(tell, operation)
    compareSecurity(tell, schemes, operation)
    compareParameters([older, newer], schemas, tell, operation)
    compareContents([older, newer], schemas, tell, operation)
  }
  compareTags(tell, kept, Object.values(after))
  compareSchemaNames(older, newer, schemas.names, tell)
  return [...changes].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, change]) => change)
}

function compareOperation(
  tell: Tell,
  [key, before, after]: [key: string, before: Operation, after: Operation],
) {
  if (before.operationId !== after.operationId)
    tell(true, key, `is called ${after.operationId} instead of ${before.operationId}`)
  compareDeprecated(tell, key, before, after)
  compareServers(tell, `${key} server`, before.servers, after.servers)
}
