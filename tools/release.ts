import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a release consists of besides its checksums: the package, and the list of everything in it. */
export type Release = { archive: string; sbom: string }

/** The SHA-256 of files, as `sha256sum --check` reads them. */
export const sumsOf = (files: string[]) =>
  files
    .map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`)
    .join('')

/** The components of what `npm ci --omit=dev` installs, as a CycloneDX document under the name of the package. */
export function nameRoot(text: string, name: string): string {
  const document = JSON.parse(text)
  document.metadata.component.name = name // npm takes that of the folder
  return `${JSON.stringify(document, null, 2)}\n`
}

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Makes the files of a release in a folder, which is emptied first. */
function release(folder: string): Release {
  const { name, version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  npm('pack', '--pack-destination', folder)
  const archive = join(folder, `${name}-${version}.tgz`)
  const sbom = join(folder, `${name}-${version}.cdx.json`)
  writeFileSync(sbom, nameRoot(npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'), name))
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf([archive, sbom]))
  return { archive, sbom }
}

// npm run release -- [folder]: the package, its SBOM and their checksums
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? 'release')
  release(folder)
  process.stdout.write(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'))
}
