import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { componentsOf, sumsOf } from './package-contents.ts'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

// npm run release -- [folder]: the package, the list of everything in it, and their checksums, in a folder that is emptied first
const folder = resolve(process.argv[2] ?? 'release')
const { name, version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
npm('pack', '--pack-destination', folder)
const archive = join(folder, `${name}-${version}.tgz`)
const sbom = join(folder, `${name}-${version}.cdx.json`)
const componentsBy = (...args: string[]) => npm('sbom', '--sbom-format', 'cyclonedx', ...args)
const inside = ['dist/licences.txt', 'dist/desk/licences.txt']
  .map((path) => readFileSync(join(PROJECT, path), 'utf8'))
  .join('\n')
const contents = { all: componentsBy(), installed: componentsBy('--omit', 'dev'), inside }
writeFileSync(sbom, componentsOf(contents, name))
const sums = sumsOf([archive, sbom])
writeFileSync(join(folder, 'SHA256SUMS'), sums)
process.stdout.write(sums)
