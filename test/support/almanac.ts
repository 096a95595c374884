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
  return { code, printed, complained }
}
