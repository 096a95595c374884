import { run } from './cli.ts'

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  terminal: process.stdout.isTTY === true,
})
