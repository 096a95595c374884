import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'

const here = (path: string) => new URL(`../${path}`, import.meta.url)
const SECURITY = readFileSync(here('SECURITY.md'), 'utf8')

t.test('every threat of the ten has what stops it, and tests that exist', async (t) => {
  const rows = SECURITY.split('\n').filter((line) => line.startsWith('| API'))
  t.same(
    rows.map((row) => /^\| API(\d+) /.exec(row)?.[1]),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  )
  for (const row of rows) {
    const [, threat = '', stops = '', shown = ''] = row.split('|').map((cell) => cell.trim())
    t.ok(stops.length > 20, threat)
    t.match(shown, /^`test\/[\w.-]+`/, threat)
  }
  for (const [, file] of SECURITY.matchAll(/`(test\/[^`]+)`/g))
    t.ok(existsSync(here(file!)), `${file} exists`)
})

t.test('it says how to report, and nothing that is not there', async (t) => {
  t.match(SECURITY, /private vulnerability reporting/)
  t.notMatch(SECURITY, /@\w+\.\w+|mailto:/)
  const README = readFileSync(here('README.md'), 'utf8')
  t.match(README, '\n## Credentials\n')
  t.match(README, '[SECURITY.md](SECURITY.md)')
})
