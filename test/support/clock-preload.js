import { openSync, readSync } from 'node:fs'

// Imported before the service, which then has the clock of the test: Unix milliseconds in the file that CLOCK names. It is
// JavaScript because tsx waits for ever where it has to compile a module that is imported ahead of the program.
const file = openSync(process.env.CLOCK, 'r')
const number = new Float64Array(1)
const bytes = new Uint8Array(number.buffer)
Date.now = () => {
  readSync(file, bytes, 0, bytes.length, 0)
  return number[0]
}
