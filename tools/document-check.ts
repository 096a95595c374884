import { readFileSync } from 'node:fs'
import { type Change, compareDocuments, type OpenApi } from './document-changes.ts'

type Versioned = OpenApi & { info: { version: string } }

/** What changed from one OpenAPI document to another, both given as files, as a text to print, and whether it breaks clients. */
export function checkDocument(older: string, newer: string, json = false) {
  const { version } = read(older).info
  const changes = compareDocuments(read(older), read(newer))
  const breaking = changes.some((change) => change.breaking)
  const text = json
    ? `${JSON.stringify({ since: version, breaking, changes }, null, 2)}\n`
    : report(changes, version)
  return { breaking, text }
}

function read(file: string): Versioned {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is not an OpenAPI document: ${(error as Error).message}`)
  }
}

function report(changes: Change[], version: string): string {
  if (changes.length === 0) return `Nothing changed since ${version}.\n`
  const order = changes.toSorted((a, b) => Number(b.breaking) - Number(a.breaking))
  const lines = order.map(
    ({ breaking, where, what }) => `  ${breaking ? 'breaking  ' : 'compatible'}  ${where} ${what}\n`,
  )
  const broken = changes.filter(({ breaking }) => breaking).length
  return `Changes since ${version}: ${broken} breaking, ${changes.length - broken} compatible.\n${lines.join('')}`
}
