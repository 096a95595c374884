import { createHash } from 'node:crypto'
import type { Site } from '../../rules/site.ts'
import { openStamps as openSigned } from '../accounts/stamps.ts'
import type { Keyed } from '../accounts/tokens.ts'

/** Milliseconds for which a stamp works: long enough to fill in a form, with a meal between. */
const LASTS = 12 * 3_600_000
/** Zero bits that a proof of work begins with: a tenth of a second or more for a browser, and for a flood as often. */
export const PROOF_BITS = 16

/** How many zero bits a hash begins with, up to 32. */
const zerosOf = (hash: Buffer): number => Math.clz32(hash.readUInt32BE())

/** Whether a text was found with which the hash of a stamp begins with enough zeros. */
export const isProven = (stamp: string, nonce: string): boolean =>
  zerosOf(createHash('sha256').update(`${stamp}.${nonce}`).digest()) >= PROOF_BITS

/** Stamps of forms, which are also challenges for a proof of work. */
export const openStamps = (keyed: Keyed, site: Pick<Site, 'clock'>) => ({
  ...openSigned(keyed, site, { purpose: 'submission', lasts: LASTS }),
  bits: PROOF_BITS,
  isProven,
})
export type Stamps = ReturnType<typeof openStamps>
