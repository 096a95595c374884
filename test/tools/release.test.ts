import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { componentsOf, sumsOf } from '../../tools/package-contents.ts'

t.test('checksums are as sha256sum reads them', (t) => {
  const folder = t.testdir({ 'almanac.tgz': 'a package', 'almanac.cdx.json': '{}' })
  const sums = sumsOf(['almanac.tgz', 'almanac.cdx.json'].map((name) => join(folder, name)))
  t.match(sums, /^[0-9a-f]{64} {2}almanac\.tgz\n[0-9a-f]{64} {2}almanac\.cdx\.json\n$/)
  writeFileSync(join(folder, 'SHA256SUMS'), sums)
  const check = () =>
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' })
  t.doesNotThrow(check)
  writeFileSync(join(folder, 'almanac.tgz'), 'another package')
  t.throws(check)
  t.end()
})

const component = (name: string, version = '1.0.0') => ({ name, version, 'bom-ref': `${name}@${version}` })
const documentOf = (...names: string[]) => ({
  metadata: { component: component('folder') },
  components: names.map((name) => component(name)),
  dependencies: [
    { ref: 'folder@1.0.0', dependsOn: names.map((name) => `${name}@1.0.0`) },
    ...names.map((name) => ({ ref: `${name}@1.0.0` })),
  ],
})

t.test(
  'a list of components has what is installed and what is built in, under the name of the package',
  (t) => {
    const all = JSON.stringify(documentOf('installed', 'inside', 'a-test-runner'))
    const installed = JSON.stringify(documentOf('installed'))
    const inside = 'inside 1.0.0\n\nMIT\n\na-test-runner 2.0.0\n\nMIT'
    const made = JSON.parse(componentsOf({ all, installed, inside }, 'almanac'))
    t.equal(made.metadata.component.name, 'almanac')
    t.strictSame(made.components, [component('installed'), component('inside')])
    t.strictSame(made.dependencies, [
      { ref: 'folder@1.0.0', dependsOn: ['installed@1.0.0', 'inside@1.0.0'] },
      { ref: 'installed@1.0.0', dependsOn: [] },
      { ref: 'inside@1.0.0', dependsOn: [] },
    ])
    t.end()
  },
)
