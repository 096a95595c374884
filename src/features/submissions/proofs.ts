import { createHash } from 'node:crypto'
import type { Keyed } from '../../kernel/access/tokens.ts'
import type { Site } from '../../kernel/site.ts'
import { openChallenges as openSigned } from '../people/challenges.ts'

/** Milliseconds for which a challenge works: long enough to fill in a form, with a meal between. */
const LASTS = 12 * 3_600_000
/** Zero bits that a proof of work begins with: a tenth of a second or more for a browser, and for a flood as often. */
export const PROOF_BITS = 16

/** The zero bits that are asked for while so many submissions with a proof came within an hour: from 60 on two more, and two for each doubling. */
export const bitsAt = (withinHour: number): number =>
  PROOF_BITS + Math.min(MORE, withinHour < MANY ? 0 : 2 * (1 + Math.floor(Math.log2(withinHour / MANY))))
const MANY = 60
/** The most that is added: some ten seconds of a browser. */
const MORE = 8

/** With how many zero bits the hash of a challenge and a text begins, up to 32. */
export const zerosOf = (challenge: string, nonce: string): number =>
  Math.clz32(createHash('sha256').update(`${challenge}.${nonce}`).digest().readUInt32BE())

/** Challenges of forms, each for a proof of work. */
export const openSubmissionChallenges = (keyed: Keyed, site: Pick<Site, 'clock'>) =>
  openSigned(keyed, site, { purpose: 'submission', lasts: LASTS })
export type Challenges = ReturnType<typeof openSubmissionChallenges>
