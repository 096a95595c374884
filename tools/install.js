import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// npm run tools: installs the packages of this folder, unless those that package-lock.json names are there already.
// It needs none of the root, so that both may be installed at the same time.
const here = fileURLToPath(new URL('.', import.meta.url))
const stamp = `${here}node_modules/.installed`
const lock = readFileSync(`${here}package-lock.json`)
const wanted = createHash('sha256').update(lock).digest('hex')

/** The lock file that was installed last; an empty string before the first time. */
function installed() {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return ''
  }
}

if (installed() !== wanted) {
  const count = Object.keys(JSON.parse(lock.toString()).packages).length - 1
  console.log(
    `Installing up to ${count} packages into tools/node_modules, as the full tests and new migrations need linters, ` +
      'generators of clients and more that neither the service nor `npm test` uses. This is done once for each ' +
      'tools/package-lock.json, and takes a minute or two.',
  )
  // no package there needs its install script: what they would build or download comes as a package, too
  const args = ['ci', '--prefix', here, '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  writeFileSync(stamp, wanted)
}
