import { openSync, writeSync } from 'node:fs'

/** A clock that several processes read: Unix milliseconds in a new file; `clock-preload.js` reads it in the others. */
export function openClock(file: string) {
  const opened = openSync(file, 'w+')
  const number = new Float64Array(1)
  const bytes = new Uint8Array(number.buffer)
  return {
    get now() {
      return number[0]!
    },
    set now(milliseconds: number) {
      number[0] = milliseconds
      writeSync(opened, bytes, 0, bytes.length, 0)
    },
  }
}
