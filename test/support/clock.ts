import { openSync, readSync, writeSync } from 'node:fs'

/** A clock that several processes read: Unix milliseconds in a file, which is made where it is set. */
export function openClock(file: string, flags: 'r' | 'w+') {
  const opened = openSync(file, flags)
  const number = new Float64Array(1)
  const bytes = new Uint8Array(number.buffer)
  return {
    get now() {
      readSync(opened, bytes, 0, bytes.length, 0)
      return number[0]!
    },
    set now(milliseconds: number) {
      number[0] = milliseconds
      writeSync(opened, bytes, 0, bytes.length, 0)
    },
  }
}

// imported before the service: its clock is that of the test
if (process.env.CLOCK) {
  const clock = openClock(process.env.CLOCK, 'r')
  Date.now = () => clock.now
}
