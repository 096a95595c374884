import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../../../test/support/ports.ts'
import { startProgram } from '../../../test/support/process.ts'

t.test(
  'the demo takes the settings of pages; closing its terminal ends it, and its folder goes',
  async (t) => {
    const folder = join(t.testdir(), 'tmp')
    mkdirSync(folder)
    const port = String(await freePort())
    const env = { PORT: port, TMPDIR: folder, SITE_NAME: 'Vila Nova', SITE_LINKS: 'Legal notice /legal' }
    const way = { args: ['--import', 'tsx', 'demo/main.ts'], vars: { NODE_OPTIONS: '' } }
    const { child, said, ended, output } = startProgram(t, way, [], env)
    const ours = () => readdirSync(folder).filter((name) => name.startsWith('almanac-demo-'))
    await said(/Sign in with/)
    t.match(output(), 'Sign in with:  demo')
    t.equal(ours().length, 1)
    const home = await (await fetch(`http://127.0.0.1:${port}/`)).text()
    t.match(home, /<title>[^<]*Vila Nova/, 'its pages have the name that the environment sets')
    t.match(home, '<a href="/legal">Legal notice</a>')
    child.kill('SIGHUP')
    t.equal(await ended, 0)
    t.same(ours(), [])
  },
)
