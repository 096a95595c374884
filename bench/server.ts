import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { NOW } from './data.ts'

// The service on a copy of a data set, with a writer's token printed for the benchmark; its clock goes on from NOW.
const began = Date.now()
const app = await buildApp({ config: readConfig(process.env), clock: () => NOW + Date.now() - began })
const { token } = await app.store.tokens.add(1, 'bench', ['read', 'write'], null)
await app.listen({ host: '127.0.0.1', port: 0 })
writeFileSync(
  process.env.READY!,
  JSON.stringify({
    port: (app.server.address() as AddressInfo).port,
    token,
    milliseconds: performance.now(),
  }),
)
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)))
