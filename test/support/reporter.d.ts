import { Transform } from 'node:stream'

/** What a run of tests prints in place of TAP, which is written into it; tests so deep are told even if they pass. */
export class Reporter extends Transform {
  constructor(options?: { depth?: number })
}
