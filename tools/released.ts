import { parseArgs } from 'node:util'
import { checkDocument } from './document/changes.ts'

// npm run openapi:check -- [file] [--json]: tells what changed in openapi.json since the last release, or since this file,
// and fails where it breaks clients
const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true })
const { breaking, text } = checkDocument(
  positionals[0] ?? 'docs/released/openapi.json',
  'openapi.json',
  values.json,
)
process.stdout.write(text)
if (breaking) process.exitCode = 1
