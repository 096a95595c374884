import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadDemo } from '../../demo/load.ts'
import { drawPoster, type Poster } from '../../demo/posters.ts'
import { type Api, ROOT } from './app.ts'

const SOURCE = readFileSync(new URL('../../demo/posters.ts', import.meta.url))
const KEPT = fileURLToPath(new URL('../../.tap/posters/', import.meta.url))

/** The file of a poster, drawn once for all tests that only show it: a million points take longer than most tests. */
async function drawOnce(name: Poster): Promise<Buffer> {
  const kept = `${KEPT}${createHash('sha256').update(SOURCE).digest('hex')}-${name}.jpg`
  try {
    return readFileSync(kept)
  } catch {
    const drawn = await drawPoster(name)
    mkdirSync(KEPT, { recursive: true })
    writeFileSync(`${kept}.${process.pid}`, drawn)
    renameSync(`${kept}.${process.pid}`, kept) // never half a file: others may read it at the same time
    return drawn
  }
}

/** Fills an application with the demo's records as of now, in the zone that most of its events have. */
export const fillWithDemo = ({ app, clock, credentials }: Pick<Api, 'app' | 'clock' | 'credentials'>) =>
  loadDemo(app, {
    ...{ root: ROOT, authorization: credentials.administrator.authorization },
    ...{ now: clock.now, zone: 'Europe/Madrid', draw: drawOnce },
  })
