import { run } from '../../src/cli.ts'

/** Runs a command in this process, on a database of the test's own, with further variables. */
export async function almanac(
  database: string,
  args: string[],
  terminal = false,
  env: Record<string, string> = {},
) {
  let printed = ''
  let complained = ''
  const code = await run(args, {
    env: { DATABASE: database, ...env },
    print: (text) => (printed += text),
    complain: (text) => (complained += text),
    terminal,
  })
  // a service in this process sees one state in each turn, which in this one may be that of before the command
  await new Promise(setImmediate)
  return { code, printed, complained }
}
