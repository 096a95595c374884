import {
  isSame,
  type Json,
  type OpenApi,
  type Operation,
  pairs,
  type Security,
  type Server,
  type Tell,
} from './openapi.ts'

/** Compares the schemes by which clients sign in; returns what the older ones are called in the newer document. */
export function compareSchemes(older: OpenApi, newer: OpenApi, tell: Tell): Map<string, string | undefined> {
  const [before, after] = [older, newer].map(({ components }) => components?.securitySchemes ?? {})
  const names = new Map<string, string | undefined>()
  for (const [name, old, now] of pairs(before, after)) {
    const where = `security ${name}`
    if (old && now) {
      names.set(name, name)
      if (!isSame(essence(old), essence(now))) tell(true, where, 'asks for other credentials')
    } else if (old) {
      const [renamed] = Object.entries(after!).find(
        ([other, scheme]) => !(other in before!) && isSame(essence(scheme), essence(old)),
      ) ?? [undefined]
      names.set(name, renamed)
      tell(
        true,
        where,
        renamed === undefined ? 'was removed' : `is now ${renamed}: generated clients have another name`,
      )
    } else if (![...names.values()].includes(name)) tell(false, where, 'is new')
  }
  return names
}
/** A scheme without its description. */
const essence = ({ description: _, ...scheme }: Json) => Object.entries(scheme).toSorted()

/** Compares who may ask an operation, and by which credentials; a scheme that is gone from the document is told only once. */
export function compareSecurity(
  tell: Tell,
  names: Map<string, string | undefined>,
  [key, before, after]: [key: string, before: Operation, after: Operation],
) {
  const [wasOpen, isOpen] = [isFree(before), isFree(after)]
  if (wasOpen && !isOpen) tell(true, key, 'needs credentials now')
  if (!wasOpen && isOpen) tell(false, key, 'needs no credentials any more')
  const [old, now] = [credentialsOf(before, names), credentialsOf(after)]
  if (!wasOpen && isOpen && now.length === 0) return
  for (const choice of old.filter((choice) => !now.some((other) => suffices(choice, other))))
    tell(true, key, `does not take ${describe(choice)} any more`)
  const known = old.map(describe)
  for (const choice of now.map(describe).filter((choice) => !known.includes(choice)))
    tell(false, key, `takes ${choice} now`)
}

/** Anybody may ask: no security at all, or none among the choices. */
const isFree = ({ security = [] }: Operation) =>
  security.length === 0 || security.some((choice) => Object.keys(choice).length === 0)

/** The choices of credentials, by the names that their schemes have now; without those whose scheme is gone. */
function credentialsOf(
  { security = [] }: Operation,
  names = new Map<string, string | undefined>(),
): Security {
  const rename = (name: string) => (names.has(name) ? names.get(name) : name)
  return security
    .filter((choice) => Object.keys(choice).length > 0)
    .map((choice) => Object.entries(choice).map(([name, scopes]) => [rename(name), scopes] as const))
    .filter((choice) => choice.every(([name]) => name !== undefined))
    .map((choice) => Object.fromEntries(choice))
}

/** Whether who has these credentials has all that are needed. */
const suffices = (held: Security[number], needed: Security[number]) =>
  Object.entries(needed).every(
    ([name, scopes]) => scopes.every((scope) => held[name]?.includes(scope)) && name in held,
  )

const describe = (choice: Security[number]) =>
  Object.entries(choice)
    .map(([name, scopes]) => [name, ...scopes].join(' '))
    .toSorted()
    .join(' with ')

/** Compares the addresses under which the service, or one operation, is reached. */
export function compareServers(tell: Tell, where: string, before: Server[] = [], after: Server[] = []) {
  const byUrl = (servers: Server[]) => Object.fromEntries(servers.map((server) => [server.url, server]))
  for (const [url, old, now] of pairs(byUrl(before), byUrl(after))) {
    const place = `${where} ${url}`.trim()
    if (!now) tell(true, place, 'was removed')
    else if (!old) tell(false, place, 'is new')
    else if (!isSame(old.variables, now.variables)) tell(true, place, 'has other variables')
  }
}

/**
 * Compares the names of schemas, of which generators make types. `names` says which components stand where those of the
 * older document stood.
 */
export function compareSchemaNames(
  older: OpenApi,
  newer: OpenApi,
  names: Map<string, Set<string>>,
  tell: Tell,
) {
  const kept = newer.components?.schemas ?? {}
  for (const name of Object.keys(older.components?.schemas ?? {})) {
    const others = [...(names.get(name) ?? [])]
      .filter((other) => other !== name)
      .toSorted()
      .join(', ')
    if (!(name in kept) && others === '') tell(true, `schema ${name}`, 'was removed: generated types lack it')
    else if (!(name in kept))
      tell(true, `schema ${name}`, `is now ${others}: generated types have another name`)
    else if (others !== '') tell(false, `schema ${name}`, `is ${others} in some places now`)
  }
}

/** Compares the first tags of operations, of which generators make classes; a tag that was only renamed is told once. */
export function compareTags(
  tell: Tell,
  operations: [key: string, before: Operation, after: Operation][],
  newer: Operation[],
) {
  const used = new Set(newer.map(tagOf))
  const renamed = new Map<string, Set<string>>()
  const moved = operations.filter(([, before, after]) => tagOf(before) !== tagOf(after))
  for (const [, before, after] of moved)
    renamed.set(tagOf(before), (renamed.get(tagOf(before)) ?? new Set()).add(tagOf(after)))
  const once = [...renamed].filter(([tag, tags]) => tags.size === 1 && !used.has(tag)).map(([tag]) => tag)
  for (const tag of once)
    tell(true, `tag ${tag}`, `is now ${[...renamed.get(tag)!]}: generated classes have another name`)
  for (const [key, before, after] of moved)
    if (!once.includes(tagOf(before)))
      tell(true, key, `is tagged ${tagOf(after)} instead of ${tagOf(before)}: generated classes differ`)
}
const tagOf = ({ tags = [] }: Operation) => tags[0] ?? 'nothing'
