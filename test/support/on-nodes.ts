import { spawn } from 'node:child_process'
import { startCluster } from './cluster.ts'
import { makeTemplate } from './database.ts'

// Runs tests whose applications are nodes of databases in PostgreSQL: npm run test:nodes -- test/http/records.test.ts ...
const cluster = await startCluster()
try {
  await makeTemplate(cluster.url())
  const child = spawn('npx', ['tap', '--disable-coverage', ...process.argv.slice(2)], {
    env: { ...process.env, TEST_POSTGRES: cluster.url() },
    stdio: 'inherit',
  })
  process.exitCode = await new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
} finally {
  await cluster.stop()
}
