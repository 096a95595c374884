import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { SETTINGS } from '../src/config.ts'

const ROOT = new URL('..', import.meta.url).pathname
const read = (path: string) => readFileSync(ROOT + path, 'utf8')

const UNITS = ['packaging/almanac.service', 'docs/examples/three-nodes/almanac-node.service']
/** Files with settings of the service, one NAME=value a line, or in their comments. */
const OTHERS = ['docs/examples/three-nodes/almanac.env', 'packaging/Caddyfile', 'packaging/nginx.conf']
/** What is read by node, and so is no setting of ours. */
const OF_NODE = ['NODE_ENV']

/** The values of a directive of a unit. */
const valuesOf = (unit: string, name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value!)

for (const path of UNITS)
  t.test(`${path} bounds memory and files, and stops later than the service`, async (t) => {
    const unit = read(path)
    t.same(valuesOf(unit, 'MemoryMax'), ['2G'])
    t.ok(read('docs/operations.md').includes('MemoryMax=2G'), 'as the guide says')
    t.ok(Number(valuesOf(unit, 'LimitNOFILE')[0]) >= 65_536)
    t.ok(Number(valuesOf(unit, 'TimeoutStopSec')[0]) > Number(SETTINGS.STOP_TIMEOUT.default))
    t.match(valuesOf(unit, 'Restart')[0], /^(on-failure|always)$/)
    t.same(valuesOf(unit, 'StartLimitIntervalSec'), ['0'], 'also where it could not start often')
  })

t.test('the package has every page to which its README leads', async (t) => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  // npm adds these by itself
  const packed = [...files, 'README.md', 'LICENSE']
  const links = [...read('README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path!)
  t.ok(links.length > 10)
  for (const link of links)
    t.ok(
      packed.some((name) => link === name || link.startsWith(`${name}/`)) &&
        !files.some((name) => name.startsWith('!') && link.startsWith(name.slice(1))),
      link,
    )
})

t.test('every setting that units and examples give or name exists', async (t) => {
  for (const path of [...UNITS, ...OTHERS]) {
    const text = read(path)
    const given = [...text.matchAll(/^(?:Environment=)?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name!)
    const said = [...text.matchAll(/^ *#.*$/gm)]
      .flatMap(([comment]) => comment.match(/\b[A-Z]+(?:_[A-Z]+)+\b|\b[A-Z_]+(?==)/g) ?? [])
      .filter((name) => name !== 'NAME')
    for (const name of [...given, ...said]) {
      if (OF_NODE.includes(name)) continue
      t.ok(name in SETTINGS, `${path}: ${name}`)
    }
  }
})

t.test('no command of the documentation shows a password to other users of the machine', async (t) => {
  const pages = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name}`,
  )
  for (const page of ['README.md', 'SECURITY.md', ...pages.filter((name) => name.endsWith('.md'))])
    for (const [, block] of read(page).matchAll(/^```(?:sh|console)\n(.*?)^```$/gms))
      for (const line of block!.split('\n')) {
        // what is assigned before a command is its environment, and no argument
        const command = line.replace(/^(?:\$ )?(?:[A-Z_]+=(?:'[^']*'|\S*) )*/, '')
        t.notMatch(command, /:\/\/[^\s/:]+:[^\s/@]+@/, `${page}: ${line}`)
      }
})
