import { spawn } from 'node:child_process'
import { makeTemplate } from './database.ts'
import { startPostgres } from './postgres.ts'

// Runs tests whose applications are nodes of databases in PostgreSQL: npm run test:nodes -- test/calendar/routes/records.test.ts ...
const ends: (() => unknown)[] = []
const { url } = await startPostgres({ teardown: (end) => void ends.push(end) })
try {
  await makeTemplate(url)
  const child = spawn('npx', ['tap', '--disable-coverage', ...process.argv.slice(2)], {
    env: { ...process.env, TEST_POSTGRES: url },
    stdio: 'inherit',
  })
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
} finally {
  for (const end of ends) await end()
}
