import t from 'tap'
import {
  retain,
  retainAnswers,
  retainAudit,
  retainRevisions,
  retainSubmitters,
} from '../../src/http/jobs/retention.ts'
import { SERVICE } from '../../src/store/changes/audit.ts'
import { noteChanged } from '../../src/store/changes/revisions.ts'
import type { Later } from '../../src/support/later.ts'
import { build, EVENT } from '../support/app.ts'
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

t.test('old changes go in batches while nobody writes, and not during writes', async (t) => {
  const { app, editor, clock } = await build(t)
  const { store } = app
  const { id } = await must(editor.post('/events', EVENT))
  for (const title of ['One', 'Two']) await must(editor.patch(`/events/${id}`, { title }))
  const count = () => store.db.rows<[number]>('select count(*) from changes')[0]![0]
  const timer = openTimer()
  const errors: string[] = []
  const warn = (_kind: string, _log: object, { err }: { err?: Error }) => void errors.push(err!.message)
  const to = { warnings: { warn }, log: app.log }
  const stop = retain(store, 30, to, timer.wait)
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 3, 'none is old')
  clock.now += 31 * 86_400_000
  const under = store.db.write(async () => {})
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 3, 'somebody writes')
  await under
  const follower = openTimer()
  const stopFollower = retain({ ...store, db: { ...store.db, leads: () => false } }, 30, to, follower.wait)
  t.equal(await follower.ring(), 60_000)
  t.equal(count(), 3, 'another node leads')
  stopFollower()
  t.equal(await timer.ring(), 50, 'there may be more')
  t.equal(count(), 1)
  t.equal(await timer.ring(), 60_000, 'there is no more')
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
  const beside = openTimer()
  const stopBeside = retain(busy, 30, to, beside.wait)
  t.equal(await beside.ring(), 60_000, 'a batch a minute beside writes')
  stopBeside()
  store.sync.hold(() => {
    throw new Error('no answer')
  })
  t.equal(await timer.ring(), 60_000)
  t.same(errors, ['no answer'])
  stop()
  t.notOk(timer.isSet())
})

t.test('what ends during a batch begins no other', async (t) => {
  const { app } = await build(t)
  const timer = openTimer()
  let end = (_: boolean) => {}
  const compact = () =>
    new Promise<boolean>((resolve) => {
      end = resolve
    })
  const stop = retain(
    { ...app.store, sync: { ...app.store.sync, compact } },
    1,
    { warnings: { warn: () => undefined }, log: app.log },
    timer.wait,
  )
  void timer.ring()
  stop()
  end(true)
  await app.store.db.write(async () => {})
  t.notOk(timer.isSet())
})

t.test('old entries of the audit log go in batches', async (t) => {
  const { app, administrator, clock } = await build(t)
  const { store } = app
  for (let at = 0; at < 1_100; at++) await store.audit.note(SERVICE, 'login_failed')
  const count = () => store.db.rows<[number]>('select count(*) from audit')[0]![0]
  const all = count()
  const timer = openTimer()
  const warned: string[] = []
  const warn = (_kind: string, _log: object, _details: object, text: string) => void warned.push(text)
  const stop = retainAudit(store, 365, { warnings: { warn }, log: app.log }, timer.wait)
  clock.now += 365 * 86_400_000
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), all, 'none is older than a year')
  clock.now += 1_000
  await must(administrator.get('/session'))
  t.equal(await timer.ring(), 50, 'there is more')
  t.equal(count(), all + 1 - 1_000)
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 1, 'what is new stays')
  const refusing = { ...store, audit: { ...store.audit, removeOld: () => Promise.reject(new Error('full')) } }
  const beside = openTimer()
  const stopBeside = retainAudit(refusing, 1, { warnings: { warn }, log: app.log }, beside.wait)
  t.equal(await beside.ring(), 60_000)
  t.same(warned, ['old entries of the audit log could not be removed'])
  stop()
  stopBeside()
})

t.test('old changes of events go in batches, new ones stay', async (t) => {
  const { app, editor, clock } = await build(t)
  const { store } = app
  const { id } = await must(editor.post('/events', EVENT))
  await must(editor.patch(`/events/${id}`, { title: 'One' }))
  const [before] = (await must(editor.get(`/events/${id}/revisions`))).revisions
  await store.db.write(async (tx) => {
    for (let at = 0; at < 1_100; at++) await noteChanged(tx, { id, now: clock.now }, { title: ['a', 'b'] })
  })
  const count = () => store.db.rows<[number]>('select count(*) from revisions')[0]![0]
  const timer = openTimer()
  const warned: string[] = []
  const warn = (_kind: string, _log: object, _details: object, text: string) => void warned.push(text)
  const to = { warnings: { warn }, log: app.log }
  const stop = retainRevisions(store, 365, to, timer.wait)
  clock.now += 365 * 86_400_000
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 1_101, 'none is older than a year')
  clock.now += 1_000
  await must(editor.patch(`/events/${id}`, { title: 'Two' }))
  t.equal(await timer.ring(), 50, 'there is more')
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 1, 'what is new stays')
  t.equal((await editor.post(`/events/${id}/revisions/${before.id}/restore`)).status, 404)
  const refusing = {
    ...store,
    revisions: { ...store.revisions, removeOld: () => Promise.reject(new Error('full')) },
  }
  const beside = openTimer()
  const stopBeside = retainRevisions(refusing, 1, to, beside.wait)
  t.equal(await beside.ring(), 60_000)
  t.same(warned, ['old changes of events could not be removed'])
  stop()
  stopBeside()
})

t.test('answers to requests with keys are kept for a day', async (t) => {
  const { app, clock, editor } = await build(t)
  const { store } = app
  const timer = openTimer()
  const to = { warnings: { warn: () => undefined }, log: app.log }
  const stop = retainAnswers(store, 1, to, timer.wait)
  const count = () => store.db.rows<[number]>('select count(*) from kept_answers')[0]![0]
  await must(editor.post('/events', EVENT, { headers: { 'idempotency-key': 'a' } }))
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 1)
  clock.now += 86_402_000
  t.equal(await timer.ring(), 60_000)
  t.equal(count(), 0)
  stop()
})

t.test('who submitted an event is forgotten in batches', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const { app, clock, editor } = api
  await propose(api)
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/refuse`, {}))
  const timer = openTimer()
  const warned: string[] = []
  const warn = (_kind: string, _log: object, _details: object, text: string) => void warned.push(text)
  const stop = retainSubmitters(app.store, 90, { warnings: { warn }, log: app.log }, timer.wait)
  clock.now += 91 * 86_400_000
  t.equal(await timer.ring(), 60_000)
  t.match((await submissionsOf(api))[0], { name: '', email: '', note: '' })
  stop()
})

t.test('the setting keeps all', async (t) => {
  const { app, anonymous } = await build(t, {
    env: { CHANGES_DAYS: 'off', AUDIT_DAYS: 'off', REVISIONS_DAYS: 'off' },
  })
  t.equal((await anonymous.get('/changes')).status, 200)
  await app.close()
})
