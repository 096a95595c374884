import { constants, setPriority } from 'node:os'
import { run } from './cli.ts'

/** Commands that read everything. A service beside them goes first; one that writes may not wait for it while it has the lock of the writer. */
const READING = ['backup', 'check', 'export']
if (READING.includes(process.argv[2]!)) setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return // the reader of the output, such as `| head`, has closed it
  process.stderr.write(`almanac: ${message}\n`)
  process.exit(1)
})

/** Ends when the command has run, or the service listens. */
export const started = run(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY === true,
  program: process.argv[1]!,
  logged: process.pid === 1 || process.ppid === 1,
}).then((code) => {
  process.exitCode = code
})
