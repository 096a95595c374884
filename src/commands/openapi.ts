import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Command } from 'commander'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { buildDocument, downgrade, print } from '../kernel/openapi/document.ts'
import { prefixOf } from '../kernel/server/mounts.ts'
import type { Shell } from '../kernel/shell.ts'

type Options = { older?: boolean; output?: string }

/** `openapi`: prints the document. */
export function addOpenApiCommand(command: Command, shell: Shell) {
  command
    .description('print the OpenAPI document')
    .option('--older', 'print OpenAPI 3.0.3 instead of 3.1')
    .option('--output <file>', 'write to this file')
    .action(async ({ older, output }: Options) => {
      const config = readConfig({ ...shell.env, DATABASE: ':memory:', MEDIA_DIR: tmpdir() })
      const app = await buildApp({ config })
      const document = buildDocument(app, `${prefixOf(config.baseUrl)}/${config.namespace}`)
      await app.close()
      const text = print(older ? downgrade(document) : document).toString()
      if (output) await writeFile(output, text)
      else shell.print(text)
    })
}
