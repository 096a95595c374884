import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { decide, hashOf, inputsOf, notePath, readGroups, readNote } from '../../tools/long/groups.ts'

const ROOT = new URL('../..', import.meta.url).pathname

const LOCK = (version: string) =>
  JSON.stringify({
    packages: {
      'node_modules/reader': { version: '1.0.0', dependencies: { inner: '^1.0.0' } },
      'node_modules/reader/node_modules/inner': { version, dependencies: { reader: '^1.0.0' } },
      'node_modules/@scope/reader': { version: '1.0.0' },
      'node_modules/inner': { version: '9.0.0' },
      'node_modules/other': { version: '1.0.0' },
    },
  })

/** A project with one group, whose test imports a part of the source and a package, and reads a page and a folder. */
function project(t: Test) {
  const root = t.testdir({})
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write(
    'tools/long/feeds/group.json',
    '{"about": "Feeds.", "inputs": ["page.md", "data"], "without": ["lib/unasked"]}',
  )
  write('tools/long/feeds/read.test.ts', "import '../../../lib/read.ts'\nimport 'tap'")
  write(
    'lib/read.ts',
    "import 'reader/sub'\nimport '@scope/reader/sub'\nimport 'node:fs'\nimport { a } from './a.ts'\nexport const b = a",
  )
  write('lib/a.ts', "import './unasked.ts'\nexport const a = 1")
  write('lib/unasked.ts', 'export {}')
  write('lib/other.ts', "import 'other'")
  write('page.md', 'Page')
  write('data/one.txt', '1')
  write('package-lock.json', LOCK('1.0.0'))
  return { root, write, hash: () => hashOf(root, readGroups(root)[0]!) }
}

t.test('a group runs again when what it tests has changed, and not for anything else', async (t) => {
  const { write, hash } = project(t)
  const first = await hash()
  write('lib/other.ts', 'export {}')
  write('lib/unasked.ts', 'export const c = 1')
  write('README.md', 'More')
  write('tools/long/feeds/green.json', '{}')
  write('package-lock.json', LOCK('1.0.0').replace('"9.0.0"', '"9.1.0"'))
  t.equal(await hash(), first, 'what it neither imports nor declares')
  const seen = new Set([first])
  const changes: [what: string, path: string, text: string][] = [
    ['a file that is imported by one that is imported', 'lib/a.ts', 'export const a = 2'],
    ['a test', 'tools/long/feeds/read.test.ts', "import '../../../lib/read.ts'"],
    ['another test', 'tools/long/feeds/more.test.ts', ''],
    ['a file that it declares', 'page.md', 'Pages'],
    ['a file in a folder that it declares', 'data/one.txt', '2'],
    ['one more there', 'data/deep/two.txt', ''],
    ['the version of a package that a package depends on', 'package-lock.json', LOCK('1.0.1')],
    ['an import more', 'lib/a.ts', "import './other.ts'\nexport const a = 2"],
  ]
  for (const [what, path, text] of changes) {
    write(path, text)
    const next = await hash()
    t.notOk(seen.has(next), what)
    seen.add(next)
  }
})

t.test('a group that reaches the service, or starts it, depends on what the service reads', async (t) => {
  const { root, write } = project(t)
  const paths = async () =>
    (await inputsOf(root, readGroups(root)[0]!)).map((line) => line.slice(0, line.lastIndexOf(' ')))
  write('src/page.html', '<p>')
  write('src/main.ts', '')
  write('desk/main.tsx', '')
  t.notOk((await paths()).includes('src/page.html'))
  write('src/app.ts', '')
  write('lib/a.ts', "import '../src/app.ts'\nexport const a = 2")
  const reached = await paths()
  t.ok(reached.includes('src/page.html') && reached.includes('src/app.ts'))
  t.notOk(reached.includes('src/main.ts'), 'which nothing imports')
  write('tools/long/feeds/group.json', '{"about": "Feeds.", "service": true}')
  t.ok((await paths()).includes('src/main.ts'))
})

t.test('all run that have changed or were never green, and one more that is drawn', async (t) => {
  const note = { inputs: 'same', assertions: 1_234, date: '2026-11-01' }
  const groups = [
    { name: 'changed', hash: 'other', note },
    { name: 'new', hash: 'same', note: undefined },
    { name: 'old', hash: 'same', note },
    { name: 'older', hash: 'same', note },
  ]
  t.same(
    decide(groups).map(({ runs, why }) => [runs, why]),
    [
      [true, 'its inputs have changed since 2026-11-01'],
      [true, 'it has no green run yet'],
      [false, 'nothing of it has changed since 2026-11-01: 1,234 assertions'],
      [false, 'nothing of it has changed since 2026-11-01: 1,234 assertions'],
    ],
  )
  t.ok(decide(groups, { all: true }).every(({ runs }) => runs))
  const drawn = Array.from({ length: 40 }, (_, commit) =>
    decide(groups, { draw: `${commit}` }).filter(({ why }) => why === 'it was drawn by the commit'),
  )
  t.ok(drawn.every(({ length }) => length === 1))
  t.same([...new Set(drawn.flat().map(({ name }) => name))].sort(), ['old', 'older'])
  t.same(decide(groups, { draw: '7' }), decide(groups, { draw: '7' }), 'the same one for a commit')
})

t.test('what a green run has noted is read again', async (t) => {
  const { root, write } = project(t)
  const [group] = readGroups(root)
  t.equal(readNote(root, group!), undefined)
  const note = { inputs: 'digest', assertions: 7, date: '2026-11-01' }
  write(notePath('', group!), JSON.stringify(note))
  t.same(readNote(root, group!), note)
})

t.test('every group of this project says what it is, and declares what is there', async (t) => {
  const groups = readGroups(ROOT)
  t.ok(groups.length > 5)
  for (const { name, about, tests, inputs, without } of groups) {
    t.match(about, /^[A-Z].*\.$/, name)
    t.ok(tests.length > 0, name)
    for (const path of [...inputs, ...without.map((start) => start.replace(/\/$/, ''))])
      t.ok(existsSync(join(ROOT, path)), `${name} declares ${path}`)
    const { inputs: _, ...rest } = JSON.parse(
      readFileSync(join(ROOT, `tools/long/${name}/group.json`), 'utf8'),
    )
    t.same(
      Object.keys(rest).filter((key) => !['about', 'without', 'service'].includes(key)),
      [],
      name,
    )
  }
})
