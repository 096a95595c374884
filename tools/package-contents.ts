import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

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
