import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { buildDocument, type Document, downgrade, print } from '../http/openapi/document.ts'
import { fromRoot } from '../package.ts'
import { type Change, compareDocuments, type OpenApi } from './document-changes.ts'
import { fail, type Shell } from './shell.ts'

const RELEASED = fileURLToPath(fromRoot('docs/released/openapi.json'))

type Options = { older?: boolean; output?: string; check?: string | true; json?: boolean }

/** `openapi`: prints the document, or reports changes since the last release. */
export function addOpenApiCommand(command: Command, shell: Shell) {
  command
    .description('print the OpenAPI document, or compare it with the last release')
    .option('--older', 'print OpenAPI 3.0.3 instead of 3.1')
    .option('--output <file>', 'write to this file')
    .option(
      '--check [file]',
      'report changes since the last release, or since this file, and print no document',
    )
    .option('--json', 'with --check: print the changes as JSON')
    .action(async ({ older, output, check, json }: Options) => {
      const config = readConfig({ ...shell.env, DATABASE: ':memory:', MEDIA_DIR: tmpdir() })
      const app = await buildApp({ config })
      const document = buildDocument(app, `/${config.namespace}`)
      await app.close()
      if (check) return compare(await readDocument(check === true ? RELEASED : check), document, json, shell)
      const text = print(older ? downgrade(document) : document).toString()
      if (output) await writeFile(output, text)
      else shell.print(text)
    })
}

type Versioned = OpenApi & { info: { version: string } }

async function readDocument(file: string): Promise<Versioned> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw fail(`${file} is not an OpenAPI document: ${(error as Error).message}`)
  }
}

function compare(released: Versioned, document: Document, json: boolean | undefined, shell: Shell) {
  const changes = compareDocuments(released, document as unknown as OpenApi)
  const breaking = changes.filter((change) => change.breaking)
  const { version } = released.info
  if (json)
    shell.print(`${JSON.stringify({ since: version, breaking: breaking.length > 0, changes }, null, 2)}\n`)
  else shell.print(report(changes, version))
  if (breaking.length > 0) throw fail(`changes since ${version} break clients`)
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
