import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { loadDemo } from '../../demo/load.ts'
import { drawPoster, type Poster } from '../../demo/posters.ts'
import type { Api } from './app.ts'
import { ROOT } from './given.ts'

const SOURCE = readFileSync(new URL('../../demo/posters.ts', import.meta.url))
const KEPT = fileURLToPath(new URL('../../.tap/enlarged/', import.meta.url))

/** Draws each poster once, and keeps its file in a folder for the tests that only show it: a million points take longer than most tests. */
export const keepPosters =
  (folder: string, draw: (name: Poster) => Promise<Buffer> = drawPoster) =>
  async (name: Poster) => {
    const kept = join(folder, `${createHash('sha256').update(SOURCE).digest('hex')}-${name}.jpg`)
    if (!existsSync(kept)) {
      const drawn = await draw(name)
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${kept}.${process.pid}`, drawn)
      renameSync(`${kept}.${process.pid}`, kept) // never half a file: others may read it at the same time
    }
    return readFileSync(kept)
  }

/** Posters for everybody who needs them, but does not look at how they are drawn: a sixteenth of the points, enlarged. */
export const poster = keepPosters(KEPT, async (name) =>
  sharp(await drawPoster(name, 200))
    .resize({ height: 800 })
    .jpeg({ quality: 90 })
    .toBuffer(),
)

/** Fills an application with the demo's records as of now, in the zone that most of its events have. */
export const fillWithDemo = ({ app, clock, credentials }: Pick<Api, 'app' | 'clock' | 'credentials'>) =>
  loadDemo(app, {
    ...{ root: ROOT, authorization: credentials.administrator.authorization },
    ...{ now: clock.now, zone: 'Europe/Madrid', draw: poster },
  })
