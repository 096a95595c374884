import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { listen } from './child.ts'
import { NOW } from './seed/records.ts'

/** A credential may write 6,000 times a minute. */
const TOKENS = 50

// The service on a data set; its clock goes on from NOW. With WRITER it makes tokens, so that it needs a copy.
const began = Date.now()
// under the highest load nothing is refused: all of it is to be measured
const config = readConfig({ ...process.env, MAX_DELAY: '0' })
const app = await buildApp({ config, clock: () => NOW + Date.now() - began })
const tokens: string[] = []
if (process.env.WRITER)
  while (tokens.length < TOKENS)
    tokens.push((await app.store.tokens.add(1, 'bench', ['read', 'write'], null)).token)
await listen(app, { tokens })
