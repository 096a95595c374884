import { Transform } from 'node:stream'

/** What a run of tests prints in place of TAP, which is written into it. */
export class Reporter extends Transform {}
