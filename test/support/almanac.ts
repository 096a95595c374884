import { run } from '../../src/cli.ts'

/** Runs a command in this process, on a database of the test's own. */
export async function almanac(database: string, args: string[], terminal = false) {
  let printed = ''
  let complained = ''
  const code = await run(args, {
    env: { DATABASE: database },
    print: (text) => (printed += text),
    complain: (text) => (complained += text),
    terminal,
  })
  return { code, printed, complained }
}
