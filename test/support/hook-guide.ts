import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { must } from './events.ts'
import { EVENT } from './given.ts'
import { accepts, freePort } from './ports.ts'
import { killAfter, watch } from './process.ts'
import { addHook, buildHooks, deliveriesOf } from './receiver.ts'
import { until } from './until.ts'

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
