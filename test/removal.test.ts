import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { freePort } from './support/ports.ts'
import { startProgram } from './support/process.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What docs/architecture.md says to delete: the folders of the room, and its line. */
const FOLDERS = ['src/http/routes/wordpress', 'src/formats/wordpress']
const LINE = /^export \{ wordpress \} from .*\n/m

t.test(
  'without what WordPress clients look for, the service starts and serves its API',
  { timeout: 120_000 },
  async (t) => {
    const root = t.testdir()
    for (const name of ['src', 'schemas', 'drizzle', 'package.json', 'openapi.json'])
      cpSync(join(ROOT, name), join(root, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    for (const folder of FOLDERS) rmSync(join(root, folder), { recursive: true })
    const list = join(root, 'src/beside.ts')
    const text = readFileSync(list, 'utf8')
    t.match(text, LINE)
    writeFileSync(list, text.replace(LINE, ''))

    const way = {
      args: ['--import', 'tsx', join(root, 'src/main.ts')],
      vars: { NODE_OPTIONS: '', _TAPJS_PROCESSINFO_COVERAGE_: '0' },
    }
    const port = await freePort()
    const served = startProgram(t, way, ['serve'], { DATABASE: join(root, 'a.db'), PORT: String(port) })
    await served.said(/answers at/)
    t.match(served.output(), 'answers at')
    const base = `http://127.0.0.1:${port}`
    const statusOf = async (path: string) => (await fetch(base + path)).status
    t.equal(await statusOf('/wp-json/tribe/events/v1/events'), 200)
    t.equal(await statusOf('/calendar/events/v1/events'), 200)
    t.equal(await statusOf('/events/'), 200)
    for (const path of [
      '/wp-json/',
      '/wp-json/wp/v2/tags',
      '/wp-json/tec/v1/events',
      '/feed/',
      '/events/list/',
    ])
      t.equal(await statusOf(path), 404, path)
    const { headers } = await fetch(`${base}/`)
    t.equal(headers.get('x-tec-api-root'), null)
    served.child.kill()
    await served.ended
  },
)
