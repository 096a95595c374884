import t, { type Test } from 'tap'
import type { Store } from '../../../src/calendar/store.ts'
import { addRevision } from '../../../src/features/history/revisions.ts'
import type { ServiceFeature } from '../../../src/features/host.ts'
import { FEATURES } from '../../../src/features.ts'
import { SERVICE } from '../../../src/kernel/access/audit-log.ts'
import { type Kept, type Later, retain } from '../../../src/kernel/tasks/jobs.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, countOf, EVENT } from '../../support/app.ts'
import { propose, submissionsOf } from '../../support/submissions.ts'

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
function removing({ app }: Api, kept: Kept, { db, changes }: Pick<Store, 'db' | 'changes'> = app.store) {
  const timer = openTimer()
  const said: string[] = []
  const warn = (_kind: string, _log: object, { err }: { err?: Error }, text: string) =>
    void said.push(`${text}: ${err!.message}`)
  const stop = retain({ db, changes }, kept, { warnings: { warn }, log: app.log }, timer.wait)
  return { ...timer, said, stop }
}

/** A service, and how what it has removed is removed, by the first words of what is said where that fails. */
async function buildKeeping(t: Test, options: Parameters<typeof build>[1] = {}) {
  const all: Kept[] = []
  const spy: ServiceFeature = {
    name: 'spy',
    async plugin(app) {
      app.retain = (kept) => void all.push(kept)
    },
  }
  const api = await build(t, { ...options, features: [spy, ...FEATURES] })
  const named = (words: string) => all.find(({ failed }) => failed.startsWith(words))!
  return { api, all, named }
}

t.test('old changes go in batches while nobody writes, and not during writes', async (t) => {
  const { api, named } = await buildKeeping(t)
  const { app, editor, clock } = api
  const { store } = app
  const { id } = await must(editor.post('/events', EVENT))
  const changes = named('old changes could')
  for (const title of ['One', 'Two']) await must(editor.patch(`/events/${id}`, { title }))
  const count = () => countOf(api, 'changes')
  const { ring, isSet, said, stop } = removing(api, changes)
  t.equal(await ring(), 60_000)
  t.equal(count(), 3, 'none is old')
  clock.now += 31 * 86_400_000
  const under = store.db.write(async () => {})
  t.equal(await ring(), 60_000)
  t.equal(count(), 3, 'somebody writes')
  await under
  const follower = removing(api, changes, { ...store, db: { ...store.db, leads: () => false } })
  t.equal(await follower.ring(), 60_000)
  t.equal(count(), 3, 'another node leads')
  t.equal(await ring(), 50, 'there may be more')
  t.equal(count(), 1)
  t.equal(await ring(), 60_000, 'there is no more')
  await must(editor.patch(`/events/${id}`, { title: 'Three' }))
  clock.now += 31 * 86_400_000
  const busy = {
    ...changes,
    async remove() {
      const isMore = await changes.remove()
      await must(editor.patch(`/events/${id}`, { title: 'Four' }))
      return isMore
    },
  }
  t.equal(await removing(api, busy).ring(), 60_000, 'a batch a minute beside writes')
  store.compaction.hold(() => {
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
  const remove = () =>
    new Promise<boolean>((resolve) => {
      end = resolve
    })
  const { ring, stop, isSet } = removing(api, { remove, failed: 'it failed' })
  void ring()
  stop()
  end(true)
  await store.db.write(async () => {})
  t.notOk(isSet())
})

t.test('old entries of the audit log go in batches', async (t) => {
  const { api, named } = await buildKeeping(t, { fresh: true })
  const { app, administrator, clock } = api
  const { store } = app
  for (let at = 0; at < 1_100; at++) await store.audit.note(SERVICE, 'login_failed')
  const count = () => countOf(api, 'audit')
  const all = count()
  const { ring } = removing(api, named('old entries of the audit log'))
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
  const { api, named } = await buildKeeping(t)
  const { app, editor, clock } = api
  const { id } = await must(editor.post('/events', EVENT))
  await must(editor.patch(`/events/${id}`, { title: 'One' }))
  const [before] = (await must(editor.get(`/events/${id}/revisions`))).revisions
  await app.store.db.write(async (tx) => {
    const revision = { tx, id, now: clock.now, by: null, fields: { title: ['a', 'b'] as [string, string] } }
    for (let at = 0; at < 1_100; at++) await addRevision(revision)
  })
  const count = () => countOf(api, 'revisions')
  const { ring } = removing(api, named('old changes of events'))
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
  const { api, all } = await buildKeeping(t)
  t.same(all.map(({ failed }) => failed).sort(), [
    'addresses that nobody confirmed could not be deleted',
    'answers that are over could not be removed',
    'names and addresses of who submitted events could not be forgotten',
    'old changes could not be removed',
    'old changes of events could not be removed',
    'old entries of the audit log could not be removed',
  ])
  const { ring, said } = removing(api, {
    failed: 'old answers could not be removed',
    remove: () => Promise.reject(new Error('full')),
  })
  t.equal(await ring(), 60_000)
  t.same(said, ['old answers could not be removed: full'])
})

t.test('answers to requests with keys are kept for a day', async (t) => {
  const { api, named } = await buildKeeping(t)
  const { clock, editor } = api
  const { ring } = removing(api, named('answers'))
  const count = () => countOf(api, 'kept_answers')
  await must(editor.post('/events', EVENT, { headers: { 'idempotency-key': 'a' } }))
  t.equal(await ring(), 60_000)
  t.equal(count(), 1)
  clock.now += 86_402_000
  t.equal(await ring(), 60_000)
  t.equal(count(), 0)
})

t.test('who submitted an event is forgotten in batches', async (t) => {
  const { api, named } = await buildKeeping(t, { env: { SUBMISSIONS: 'on' } })
  const { clock, editor } = api
  await propose(api)
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/refuse`, {}))
  clock.now += 91 * 86_400_000
  t.equal(await removing(api, named('names and addresses')).ring(), 60_000)
  t.match((await submissionsOf(api))[0], { name: '', email: '', note: '' })
})

t.test('the settings keep all', async (t) => {
  const { all } = await buildKeeping(t, {
    env: { CHANGES_DAYS: 'off', AUDIT_DAYS: 'off', REVISIONS_DAYS: 'off' },
  })
  t.same(all.map(({ failed }) => failed.split(' ')[0]).sort(), ['addresses', 'answers', 'names'])
})
