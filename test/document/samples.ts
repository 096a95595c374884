import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { must } from '../support/answers.ts'
import { build, ROOT } from '../support/app.ts'
import { documentOf } from '../support/document.ts'
import { EVENT } from '../support/given.ts'
import { draw } from '../support/pictures.ts'
import { accepts, freePort } from '../support/ports.ts'
import { killAfter, watch } from '../support/process.ts'
import { addHook, buildHooks, deliveriesOf } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { makeExamples } from './examples.ts'

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

const GUIDE = new URL('../../docs/guides/webhooks.md', import.meta.url)

/** Runs a receiver of the guide as it stands, except for its port: it accepts what is signed, and nothing else. */
export async function runGuide(t: Test, program: string, name: string) {
  const [, rest] = readFileSync(GUIDE, 'utf8').split(` ${name}\n`)
  const port = await freePort()
  const file = join(t.testdir(), name)
  writeFileSync(file, rest!.split('\n```')[0]!.replace('8080', String(port)))
  const api = await buildHooks(t)
  api.clock.now = Date.now()
  const hook = await addHook(api, { url: `http://127.0.0.1:${port}/` }, { kinds: ['event'] })
  const child = spawn(program, [file], {
    env: { ...process.env, NODE_OPTIONS: '', PYTHONUNBUFFERED: '1', WEBHOOK_SECRET: hook.secret },
  })
  const { said, ended } = watch(child)
  killAfter(t, { child, ended })
  await Promise.race([
    until(() => accepts(port)),
    ended.then((code) => {
      throw new Error(`The receiver ended with ${code}.`)
    }),
  ])
  const { id } = await must(api.editor.post('/events', EVENT))
  await api.app.hooks.drain()
  await must(api.editor.delete(`/events/${id}`))
  await api.app.hooks.drain()
  t.match(await deliveriesOf(api, hook), [{ status: 'delivered' }, { status: 'delivered' }])
  await said(new RegExp(`event.created ${id}[^]*event.deleted ${id}`))
  const answers: number[] = []
  const send = async () => {
    await must(api.administrator.post(`/webhooks/${hook.id}/test`))
    await api.app.hooks.drain()
    answers.push((await deliveriesOf(api, hook))[0].response_code)
  }
  await send()
  api.clock.now -= 600_000
  await send()
  api.clock.now += 600_000
  await must(api.administrator.post(`/webhooks/${hook.id}/secret`))
  await send()
  api.clock.now += 86_400_000
  await send()
  t.same(answers, [204, 400, 204, 400], 'an old message and another secret are refused')
}
