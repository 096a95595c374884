import type { Caller } from '../../../kernel/access/roles.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { Bits, type Few, type Numbers, read } from '../../index/bits.ts'
import { LINK_KINDS, type LinkKind } from '../../records/links.ts'
import type { Listed } from './listed.ts'
import { isExact, type Matches, MOST_READ, type Sought, toRows } from './matches.ts'
import type { TextCondition } from './members.ts'
import type { NamedTerm, NamedTerms } from './selection.ts'

type Parts = Pick<Listed, 'calendar'> & {
  matches: Matches
  fits: {
    inText(term: Sought, caller: Caller): TextCondition
    inNames(query: NamedTerms): TextCondition
    hasTexts(id: number, condition: TextCondition): boolean
  }
  /** The events that are linked to one of these records, as texts. */
  linked(kind: LinkKind, targets: number[]): Task<Buffer[]>
  /** Keeps the members of a set that fulfil a condition on their texts, in all of which `part` stands. */
  narrow(members: Numbers, condition: TextCondition, part?: string): Task<void>
}

/** Finds the events of what people search for: in texts, and by the names of what events are linked to. */
export function openAsked({ calendar, matches, fits, linked, narrow }: Parts) {
  /** The events that are linked to records whose names have a term, as far as the caller sees that. */
  function* named({ targets }: NamedTerm, caller: Caller): Task<Bits> {
    const bits = new Bits(calendar.size())
    for (const kind of LINK_KINDS) {
      const texts = targets.links[kind] ? yield* linked(kind, targets.links[kind]) : []
      for (const text of texts) read(text, toRows(calendar, bits))
    }
    return bits.filter(calendar.opens(caller))
  }

  /** The events that have a term in their texts, among `among` or all. */
  function* inTexts(term: NamedTerm, caller: Caller, among: Numbers | undefined): Task<Bits> {
    const found: Bits = yield* matches.indexed([term], caller)
    if (among) found.filter((row) => among.has(row))
    if (!isExact(term)) yield* narrow(found, fits.inText(term, caller), term.text)
    return found
  }

  /** The events that have a term in their texts or in the names of what they are linked to, among `among` or all. */
  function* having(term: NamedTerm, caller: Caller, among?: Numbers): Task<Bits> {
    const texts: Bits = yield* inTexts(term, caller, among)
    return texts.or(yield* named(term, caller))
  }

  /** The events that a person finds, among `among` or all of `every`. */
  function* asked(query: NamedTerms, among: Few | Bits | undefined, every: () => Bits): Task<Few | Bits> {
    const { wanted, unwanted, caller } = query
    const isWanted = fits.inNames(query)
    if (among && among.count() <= MOST_READ) {
      yield* narrow(among, isWanted)
      return among
    }
    const waiting = yield* matches.waiting()
    const late = among ? waiting.filter((id) => among.has(calendar.rowOf(id))) : waiting
    let members = among
    for (const term of [...wanted].sort((a, b) => b.text.length - a.text.length)) {
      if (members && members.count() <= MOST_READ) break
      const found: Bits = yield* having(term, caller, members)
      members = members ? members.and(found) : found
    }
    members ??= every()
    for (const term of unwanted) {
      if (members.count() <= MOST_READ) break
      members.without(yield* having(term, caller, members))
    }
    // what was not asked of the index
    if (members.count() <= MOST_READ) yield* narrow(members, isWanted)
    yield* matches.decide(members, late, (id) => fits.hasTexts(id, isWanted))
    return members
  }

  return { asked }
}
