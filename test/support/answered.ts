import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { SEEN, unanswered } from './validation.ts'

// With `forget` before the tests, and without it after them: fails where the document promises an answer that no test got.
if (process.argv[2] === 'forget') {
  rmSync(SEEN, { recursive: true, force: true })
} else {
  const seen = readdirSync(SEEN).flatMap((file) => JSON.parse(readFileSync(`${SEEN}/${file}`, 'utf8')))
  const missing = unanswered(new Set(seen))
  for (const pair of missing) console.error(`No test gets the answer that the document declares: ${pair}`)
  if (missing.length > 0) process.exitCode = 1
  else console.log('Every answer that the document declares is got by a test.')
}
