import type { Caller } from '../../../rules/roles.ts'
import { type Term, wordsOf } from '../../../rules/text/query.ts'
import type { Task } from '../../../support/scheduler.ts'
import { Bits, type Few, type Numbers, read } from '../../index/bits.ts'
import { LINK_KINDS, type LinkKind } from '../../records/projection/links.ts'
import type { Listed } from './listed.ts'
import { isExact, isShort, toRows } from './matches.ts'
import type { NamedTerm, NamedTerms } from './selection.ts'

/** What mostly stands before a word of a text, and after one. */
const BEFORE_WORDS = [' ', '\n']
const AFTER_WORDS = [' ', '\n', '.', ',']
/** Texts that one step reads, where a set is large. */
const STEP = 50
/** Number of events up to which reading their texts is faster than the index. */
const MOST_READ = 300

type Parts = Pick<Listed, 'calendar'> & {
  fits: {
    hasTerm(term: Term, caller: Caller, id: number): boolean
    hasTerms(query: NamedTerms, id: number): boolean
  }
  /** The events that are linked to one of these records, as texts. */
  linked(kind: LinkKind, targets: number[]): Task<Buffer[]>
  /** The events in which the caller finds all words of a group, as far as the index query covers them. */
  matching(group: string[], caller: Caller): Task<Bits>
  /** Keeps the members of a set that fulfil a slow condition. */
  narrow(members: Numbers, condition: (id: number) => boolean, step?: number): Task<void>
}

/** Finds the events of what people search for: in texts, and by the names of what events are linked to. */
export function openAsked({ calendar, fits, linked, matching, narrow }: Parts) {
  /** The events that are linked to records whose names have a term, as far as the caller sees that. */
  function* named({ targets }: NamedTerm, caller: Caller): Task<Bits> {
    const bits = new Bits(calendar.size())
    for (const kind of LINK_KINDS) {
      const texts = targets.links[kind] ? yield* linked(kind, targets.links[kind]) : []
      for (const text of texts) read(text, toRows(calendar, bits))
    }
    return bits.filter(calendar.opens(caller))
  }

  /** The events that have a term between signs that texts mostly have there: those need not be read. */
  function* surely({ text, how }: NamedTerm, caller: Caller): Task<Bits> {
    const bits = new Bits(calendar.size())
    for (const before of BEFORE_WORDS)
      for (const after of how === 'whole' ? AFTER_WORDS : ['']) {
        const sure = before + text + after
        if (!isShort(sure) && isExact(sure)) bits.or(yield* matching([sure], caller))
      }
    return bits
  }

  /** The events that have a term in their texts, among `among` or all. */
  function* inTexts(term: NamedTerm, caller: Caller, among: Numbers | undefined): Task<Bits> {
    const [word] = wordsOf(term.text).sort((a, b) => b.length - a.length)
    const likely: Bits = yield* matching([word!], caller)
    if (among) likely.filter((row) => among.has(row))
    if (likely.count() <= MOST_READ) {
      yield* narrow(likely, (id) => fits.hasTerm(term, caller, id))
      return likely
    }
    if (term.how === 'within' && term.text === word && isExact(word)) return likely
    const sure: Bits = (yield* surely(term, caller)).and(likely)
    yield* narrow(likely.without(sure), (id) => fits.hasTerm(term, caller, id), STEP)
    return likely.or(sure)
  }

  /** The events that have a term in their texts or in the names of what they are linked to, among `among` or all. */
  function* having(term: NamedTerm, caller: Caller, among?: Numbers): Task<Bits> {
    const texts: Bits = yield* inTexts(term, caller, among)
    return texts.or(yield* named(term, caller))
  }

  /** The events that a person finds, among `among` or all of `every`. */
  function* asked(query: NamedTerms, among: Few | Bits | undefined, every: () => Bits): Task<Few | Bits> {
    const { wanted, unwanted, caller } = query
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
    if (members.count() <= MOST_READ) yield* narrow(members, (id) => fits.hasTerms(query, id))
    return members
  }

  return { asked }
}
