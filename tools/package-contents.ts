import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** The SHA-256 of files, as `sha256sum --check` reads them. */
export const sumsOf = (files: string[]) =>
  files
    .map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${basename(file)}\n`)
    .join('')

type Component = { name: string; version: string; 'bom-ref': string }
type Document = {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/**
 * The components of a package, as a CycloneDX document under its name: of those that `npm sbom` tells of a checkout, what `npm ci --omit=dev` installs, and
 * what is inside of the program and the desk. `inside` are the texts of licences that a build writes, where each begins with name and version.
 */
export function componentsOf(
  texts: { all: string; installed: string; inside: string },
  name: string,
): string {
  const [document, installed] = [texts.all, texts.installed].map((text) => JSON.parse(text)) as [
    Document,
    Document,
  ]
  const refs = new Set(installed.components.map((component) => component['bom-ref']))
  const lines = new Set(texts.inside.split('\n'))
  const isPart = (component: Component) =>
    refs.has(component['bom-ref']) || lines.has(`${component.name} ${component.version}`)
  const { metadata } = document
  const components = document.components.filter(isPart)
  const kept = new Set([metadata.component, ...components].map((component) => component['bom-ref']))
  const dependencies = document.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((ref) => kept.has(ref)) }))
  metadata.component.name = name // npm takes that of the folder
  return `${JSON.stringify({ ...document, components, dependencies }, null, 2)}\n`
}
