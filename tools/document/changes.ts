import { readFileSync } from 'node:fs'
import { compareSchemaNames, compareSchemes, compareSecurity, compareServers, compareTags } from './access.ts'
import { type OpenApi, type Operation, operationsOf, pairs, type Tell } from './openapi.ts'
import { compareContents, compareDeprecated, compareParameters } from './operations.ts'
import { buildComparison } from './schemas.ts'

/** A difference of two documents; breaking where a client of the older one may fail with the newer. */
type Change = { breaking: boolean; where: string; what: string }

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

type Versioned = OpenApi & { info: { version: string } }

/** How many operations with the same change a report names. */
const NAMED = 3

/** What changed from one OpenAPI document to another, both given as files, as a text to print, and whether it breaks clients. */
export function checkDocument(older: string, newer: string, json = false) {
  const { version } = read(older).info
  const changes = compareDocuments(read(older), read(newer))
  const breaking = changes.some((change) => change.breaking)
  const text = json
    ? `${JSON.stringify({ since: version, breaking, changes }, null, 2)}\n`
    : report(changes, version)
  return { breaking, text }
}

function read(file: string): Versioned {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is not an OpenAPI document: ${(error as Error).message}`)
  }
}

function report(changes: Change[], version: string): string {
  if (changes.length === 0) return `Nothing changed since ${version}.\n`
  const broken = changes.filter(({ breaking }) => breaking)
  const noted = changes.filter(({ breaking }) => !breaking)
  const lines = [...gather(broken, 'breaking'), ...gather(noted, 'noted   ')]
  return `Changes since ${version}: ${broken.length} breaking, ${noted.length} noted.\n${lines.join('')}`
}

/** Changes that are told of each operation by itself. */
const ALONE = ['was removed', 'is new', 'is deprecated now']

/** A line for each change; many operations, answers or schemas with the same change share one. */
function gather(changes: Change[], label: string): string[] {
  const groups = new Map<string, Change[]>()
  for (const change of changes) {
    const key = `${split(change)[1]} ${change.what}`.trim()
    groups.set(key, [...(groups.get(key) ?? []), change])
  }
  return [...groups].flatMap(([same, group]) => {
    const places = group.map((change) => split(change)[0])
    return group.length <= NAMED || ALONE.includes(same)
      ? group.map(({ where, what }) => `  ${label}  ${where} ${what}\n`)
      : `  ${label}  ${places.slice(0, NAMED).join(', ')} and ${places.length - NAMED} more: ${same}\n`
  })
}
/** Where a change is, an operation, an answer or a schema, and what of it changed. */
function split({ where }: Change): [place: string, subject: string] {
  const [, place, subject] = /^([A-Z]+ \/\S*(?: \d{3}(?=[ .]))?|\w+ \(\w+\)) ?(.*)$/.exec(where) ?? [
    '',
    '',
    where,
  ]
  return [place!, subject!]
}
