// Gives a package the versions that were tested: `npm pack` puts npm-shrinkwrap.json into it, which npm obeys where the package is
// installed, as it does not with package-lock.json and with `overrides`. `lock.js remove` takes it away again.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const target = at('npm-shrinkwrap.json')

if (process.argv[2] === 'remove') rmSync(target, { force: true })
else {
  const lock = JSON.parse(readFileSync(at('package-lock.json'), 'utf8'))
  for (const [path, { dev }] of Object.entries(lock.packages)) if (dev) delete lock.packages[path]
  delete lock.packages[''].devDependencies
  writeFileSync(target, `${JSON.stringify(lock, null, 2)}\n`)
}
