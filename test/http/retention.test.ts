import t from 'tap'
import { retain } from '../../src/calendar/jobs/retention.ts'
import { noteChanged } from '../../src/features/history/store.ts'
import { SERVICE } from '../../src/kernel/audit/log.ts'
import type { Later } from '../../src/kernel/tasks/later.ts'
import { type Api, build, countOf, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'
import { propose, submissionsOf } from '../support/submissions.ts'

/** A timer that is rung by hand: what waits, and for how long. */
function openTimer() {
  let waiting: { run: () => void; milliseconds: number } | undefined
  let told = () => {}
  const wait: Later = (run, milliseconds) => {
    waiting = { run, milliseconds }
    told()
    return {
      clear: () => {
        waiting = undefined
      },
    }
  }
  return {
    wait,
    isSet: () => waiting !== undefined,
    /** Rings, and returns for how long is waited then. */
    async ring(): Promise<number> {
      const { run } = waiting!
      const again = new Promise<void>((resolve) => {
        told = resolve
      })
      run()
      await again
      return waiting!.milliseconds
    },
  }
}

/** Removes what is old when it is told to; `said` is what is said where that fails. */
function removing({ app }: Api, name: Parameters<typeof retain>[1], days: number, store = app.store) {
  const timer = openTimer()
  const said: string[] = []
  const warn = (_kind: string, _log: object, { err }: { err?: Error }, text: string) =>
    void said.push(`${text}: ${err!.message}`)
  const stop = retain(store, name, days, { warnings: { warn }, log: app.log }, timer.wait)
  return { ...timer, said, stop }
}

t.test('old changes go in batches while nobody writes, and not during writes', async (t) => {
  const api = await build(t)
  const { app, editor, clock } = api
  const { store } = app
  const { id } = await must(editor.post('/events', EVENT))
  for (const title of ['One', 'Two']) await must(editor.patch(`/events/${id}`, { title }))
  const count = () => countOf(api, 'changes')
  const { ring, isSet, said, stop } = removing(api, 'changes', 30)
  t.equal(await ring(), 60_000)
  t.equal(count(), 3, 'none is old')
  clock.now += 31 * 86_400_000
  const under = store.db.write(async () => {})
  t.equal(await ring(), 60_000)
  t.equal(count(), 3, 'somebody writes')
  await under
  const follower = removing(api, 'changes', 30, { ...store, db: { ...store.db, leads: () => false } })
  t.equal(await follower.ring(), 60_000)
  t.equal(count(), 3, 'another node leads')
  t.equal(await ring(), 50, 'there may be more')
  t.equal(count(), 1)
  t.equal(await ring(), 60_000, 'there is no more')
  await must(editor.patch(`/events/${id}`, { title: 'Three' }))
  clock.now += 31 * 86_400_000
  const { compact } = store.sync
  const busy = {
    ...store,
    sync: {
      ...store.sync,
      async compact(days: number) {
        const isMore = await compact(days)
        await must(editor.patch(`/events/${id}`, { title: 'Four' }))
        return isMore
      },
    },
  }
  t.equal(await removing(api, 'changes', 30, busy).ring(), 60_000, 'a batch a minute beside writes')
  store.sync.hold(() => {
    throw new Error('no answer')
  })
  t.equal(await ring(), 60_000)
  t.same(said, ['old changes could not be removed: no answer'])
  stop()
  t.notOk(isSet())
})

t.test('what ends during a batch begins no other', async (t) => {
  const api = await build(t)
  const { store } = api.app
  let end = (_: boolean) => {}
  const compact = () =>
    new Promise<boolean>((resolve) => {
      end = resolve
    })
  const { ring, stop, isSet } = removing(api, 'changes', 1, { ...store, sync: { ...store.sync, compact } })
  void ring()
  stop()
  end(true)
  await store.db.write(async () => {})
  t.notOk(isSet())
})

t.test('old entries of the audit log go in batches', async (t) => {
  const api = await build(t, { fresh: true })
  const { app, administrator, clock } = api
  const { store } = app
  for (let at = 0; at < 1_100; at++) await store.audit.note(SERVICE, 'login_failed')
  const count = () => countOf(api, 'audit')
  const all = count()
  const { ring } = removing(api, 'audit', 365)
  clock.now += 365 * 86_400_000
  t.equal(await ring(), 60_000)
  t.equal(count(), all, 'none is older than a year')
  clock.now += 1_000
  await must(administrator.get('/session'))
  t.equal(await ring(), 50, 'there is more')
  t.equal(count(), all + 1 - 1_000)
  t.equal(await ring(), 60_000)
  t.equal(count(), 1, 'what is new stays')
})

t.test('old changes of events go in batches, new ones stay', async (t) => {
  const api = await build(t)
  const { app, editor, clock } = api
  const { id } = await must(editor.post('/events', EVENT))
  await must(editor.patch(`/events/${id}`, { title: 'One' }))
  const [before] = (await must(editor.get(`/events/${id}/revisions`))).revisions
  await app.store.db.write(async (tx) => {
    for (let at = 0; at < 1_100; at++) await noteChanged(tx, { id, now: clock.now }, { title: ['a', 'b'] })
  })
  const count = () => countOf(api, 'revisions')
  const { ring } = removing(api, 'revisions', 365)
  clock.now += 365 * 86_400_000
  t.equal(await ring(), 60_000)
  t.equal(count(), 1_101, 'none is older than a year')
  clock.now += 1_000
  await must(editor.patch(`/events/${id}`, { title: 'Two' }))
  t.equal(await ring(), 50, 'there is more')
  t.equal(await ring(), 60_000)
  t.equal(count(), 1, 'what is new stays')
  t.equal((await editor.post(`/events/${id}/revisions/${before.id}/restore`)).status, 404)
})

t.test('what can not be removed is named', async (t) => {
  const api = await build(t)
  const { store } = api.app
  const fail = () => Promise.reject(new Error('full'))
  const refusing = {
    ...store,
    audit: { ...store.audit, removeOld: fail },
    revisions: { ...store.revisions, removeOld: fail },
    kept: { ...store.kept, removeOld: fail },
    submissions: { ...store.submissions, forget: fail },
  }
  for (const [name, text] of [
    ['audit', 'old entries of the audit log could not be removed'],
    ['revisions', 'old changes of events could not be removed'],
    ['answers', 'answers that are over could not be removed'],
    ['submitters', 'names and addresses of who submitted events could not be forgotten'],
  ] as const) {
    const { ring, said } = removing(api, name, 1, refusing)
    t.equal(await ring(), 60_000)
    t.same(said, [`${text}: full`])
  }
})

t.test('answers to requests with keys are kept for a day', async (t) => {
  const api = await build(t)
  const { clock, editor } = api
  const { ring } = removing(api, 'answers', 1)
  const count = () => countOf(api, 'kept_answers')
  await must(editor.post('/events', EVENT, { headers: { 'idempotency-key': 'a' } }))
  t.equal(await ring(), 60_000)
  t.equal(count(), 1)
  clock.now += 86_402_000
  t.equal(await ring(), 60_000)
  t.equal(count(), 0)
})

t.test('who submitted an event is forgotten in batches', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const { clock, editor } = api
  await propose(api)
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/refuse`, {}))
  clock.now += 91 * 86_400_000
  t.equal(await removing(api, 'submitters', 90).ring(), 60_000)
  t.match((await submissionsOf(api))[0], { name: '', email: '', note: '' })
})

t.test('the setting keeps all', async (t) => {
  const { app, anonymous } = await build(t, {
    env: { CHANGES_DAYS: 'off', AUDIT_DAYS: 'off', REVISIONS_DAYS: 'off' },
  })
  t.equal((await anonymous.get('/changes')).status, 200)
  await app.close()
})
