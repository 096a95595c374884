import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { nameRoot, sumsOf } from '../../tools/package-contents.ts'

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

t.test('a list of components has the name of the package, not of a folder', (t) => {
  const text = JSON.stringify({
    metadata: { component: { name: 'folder', version: '1.0.0' } },
    components: [],
  })
  t.same(JSON.parse(nameRoot(text, 'almanac')), {
    metadata: { component: { name: 'almanac', version: '1.0.0' } },
    components: [],
  })
  t.end()
})
