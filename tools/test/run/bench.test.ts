import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { graphOf } from '../../long/groups.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

t.test('no benchmark loads tap, which would end it after 30 seconds', async (t) => {
  const benchmarks = readdirSync(`${root}/bench`)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `bench/${name}`)
  const { files, packages } = await graphOf(root, benchmarks, [])
  t.ok(files.includes('bench/soak/flat.ts'))
  t.ok(packages.some(({ name }) => name === 'better-sqlite3'))
  t.same(
    packages.filter(({ name }) => name === 'tap'),
    [],
  )
})
