import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { build, ROOT } from './app.ts'
import { documentOf } from './document.ts'
import { must } from './events.ts'
import { makeExamples } from './examples.ts'
import { draw } from './pictures.ts'

const run = promisify(execFile)

type Sample = { lang: string; label: string; source: string }

/** The operations that have samples, in an order in which they can be run, and what each sample prints. */
const PRINTS: [operationId: string, prints: RegExp[]][] = [
  ['createEvent', [/jazz-at-the-teatre/]],
  ['listEvents', [/Evensong/, /Jazz at the Teatre/]],
  ['getEvent', [/Evensong/]],
  ['updateEvent', [/Sold out/]],
  ['upsertEvent', [/jazz-at-the-teatre/]],
  ['createMedia', [/poster/]],
  ['createVenue', [/ateneu/]],
  ['listVenues', [/Ateneu/]],
  ['listCategories', [/Concerts/]],
  ['batch', [/201/]],
  ['createPreview', [/preview\//]],
  ['deleteEvent', [/trash/]],
  ['restoreEvent', [/publish/]],
]

/** A service that listens, with the records of the examples and a file to upload, and `here`, which puts its address into a text. */
export async function openService(t: Test) {
  const folder = t.testdir({})
  const api = await build(t, { env: { MEDIA_DIR: join(folder, 'media'), SUBMISSIONS: 'on' } })
  await makeExamples(api)
  await must(api.administrator.patch('/events/3', { status: 'publish' }))
  writeFileSync(join(folder, 'poster.jpg'), await draw(40, 30, 'jpeg'))
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const token = api.credentials.editor.authorization.slice('Bearer '.length)
  const here = (text: string) => text.replaceAll(`https://calendar.example${ROOT}`, origin + ROOT)
  const env = { ...process.env, NODE_OPTIONS: '', ALMANAC_TOKEN: token }
  return { api, here, options: { cwd: folder, env } }
}

/** Runs every sample in a language: `program` and its arguments before the text. */
export async function runSamples(t: Test, lang: string, program: string, args: string[]) {
  const { api, here, options } = await openService(t)
  const operations = Object.values(documentOf(api.app).paths).flatMap((methods) => Object.values(methods))
  const samples: Record<string, Sample[]> = Object.fromEntries(
    operations
      .filter((operation) => 'x-codeSamples' in operation)
      .map((operation) => [operation.operationId, operation['x-codeSamples'] as Sample[]]),
  )
  t.same(Object.keys(samples).sort(), PRINTS.map(([operationId]) => operationId).sort())
  for (const [operationId, prints] of PRINTS) {
    const own = samples[operationId]!.filter((sample) => sample.lang === lang)
    t.equal(own.length, prints.length, operationId)
    for (const [at, { label, source }] of own.entries()) {
      const { stdout } = await run(program, [...args, here(source)], options)
      t.match(stdout, prints[at], `${operationId}, ${label}`)
      t.notMatch(stdout, /"status":4\d\d/, `${operationId}, ${label}`)
    }
  }
}
