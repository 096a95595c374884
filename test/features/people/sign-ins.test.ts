import t from 'tap'
import { addPerson, codeOf, GOOD, OTHER } from '../../support/people.ts'
import { openRecords } from '../../support/store.ts'

const MINUTE = 60_000
const BY = { origin: 'http', address: '10.0.0.1' } as const

t.test('a session ends with the way to sign in that opened it, and tells its kind', async (t) => {
  const { store } = await openRecords(t)
  const { users, signIns, tokens, sessions, db } = store
  const { id } = (await users.add('maria', 'editor'))!
  const [key, other] = await db.write(async (tx) => [
    await signIns.add(tx, { user_id: id, kind: 'passkey', name: 'Phone', external: 'k1' }),
    await signIns.add(tx, { user_id: id, kind: 'passkey', external: 'k2' }),
  ])
  const made = await tokens.addSession(id, { sign_in_id: key!.id }, MINUTE)
  const kept = await tokens.addSession(id, { sign_in_id: other!.id }, MINUTE)
  t.match((await sessions.list(id, { page: 1, per_page: 9 })).rows, [
    { id: made.id, kind: 'passkey', name: 'Phone', password_id: null },
    { id: kept.id, kind: 'passkey', name: '' },
  ])
  t.equal(await signIns.remove(id + 1, key!.id), undefined, 'another user has no such one')
  t.equal((await signIns.remove(id, key!.id))!.name, 'Phone')
  t.equal(await tokens.find(made.token), undefined)
  t.equal((await tokens.find(kept.token))!.user.id, id)
  await t.rejects(tokens.addSession(id, { sign_in_id: key!.id }, MINUTE), { code: 'incorrect_password' })
  t.match(await db.write((tx) => signIns.removeAll(tx, id, 'passkey')), [{ external: 'k2' }])
  t.equal(await tokens.find(kept.token), undefined)
  t.strictSame(await signIns.list(id), [])
})

t.test('of two uses of one step, one counts', async (t) => {
  const { store } = await openRecords(t)
  const { users, signIns, db } = store
  const { id } = (await users.add('maria', 'editor'))!
  const totp = await db.write((tx) =>
    signIns.add(tx, { user_id: id, kind: 'totp', secret: 's', external: 'x' }),
  )
  t.strictSame(await Promise.all([signIns.use(totp.id, 7), signIns.use(totp.id, 7)]), [true, false])
  t.equal(await signIns.use(totp.id), true, 'without a counter each use counts')
  t.equal(await signIns.use(totp.id + 1), false, 'there is none')
  t.match(await signIns.called('totp', 'x'), { counter: 7, last_used_utc: /^2026/ })
  t.match(await signIns.list(id, 'totp'), [{ id: totp.id }])
})

t.test('a ticket works once, for its purpose, until its time', async (t) => {
  const { store, clock } = await openRecords(t)
  const { users, tickets, db } = store
  const { id } = (await users.add('maria', 'editor'))!
  const issue = (of = {}) => db.write((tx) => tickets.issue(tx, 'reset', MINUTE, of))
  const redeem = (text: string) => db.write((tx) => tickets.redeem(tx, 'reset', text))
  const text = await issue({ user: id, data: { to: 'a@b.example' } })
  t.equal(await tickets.find('invitation', text), undefined, 'it is for something else')
  t.match(await tickets.find('reset', text), { user_id: id, data: { to: 'a@b.example' } })
  const both = await Promise.all([redeem(text), redeem(text)])
  t.match(both, [{ user_id: id }, undefined])
  const late = await issue()
  clock.now += MINUTE
  t.equal(await redeem(late), undefined)
  const withdrawn = await issue({ user: id })
  await db.write((tx) => tickets.withdraw(tx, 'reset', id))
  t.equal(await redeem(withdrawn), undefined)
  t.strictSame(db.rows('select count(*) from tickets'), [[0]], 'what has ended is deleted')
})

t.test('mail waits in its order, is put off and goes', async (t) => {
  const { store, clock } = await openRecords(t)
  const { mails, db } = store
  const texts = { subject: 'Hello', text: 'Welcome.' }
  await db.write((tx) => mails.add(tx, { recipient: 'a@b.example', ...texts }))
  await db.write((tx) => mails.add(tx, { recipient: 'c@d.example', ...texts }))
  const [first, second] = await mails.due(10)
  t.match([first, second], [{ recipient: 'a@b.example', tries: 0 }, { recipient: 'c@d.example' }])
  await mails.putOff(first!, MINUTE)
  await mails.finish(second!, true)
  t.strictSame(await mails.due(10), [])
  clock.now += MINUTE
  t.match(await mails.due(10), [{ recipient: 'a@b.example', tries: 1, ...texts }])
})

t.test('a password that was changed since it was proven opens and changes nothing', async (t) => {
  const { store } = await openRecords(t)
  const { people, secondFactors, tokens } = store
  const { id } = await addPerson({ app: { store } }, 'marta')
  const { user, signIn } = await people.verify('marta', GOOD)
  const opener = { sign_in_id: signIn!.id, secret: signIn!.secret }
  const { id: session } = await tokens.addSession(id, opener, MINUTE)
  const hash = await people.hashed(OTHER, user!)
  await people.setPassword(id, hash, BY, {})
  const refused = { code: 'incorrect_password' }
  await t.rejects(tokens.addSession(id, opener, MINUTE), refused)
  await t.rejects(secondFactors.ask(user!, signIn!), refused)
  await t.rejects(people.setPassword(id, 'x', BY, { proven: signIn }), refused)
  await t.rejects(
    people.setPassword(id, 'x', BY, { keep: session }),
    { code: 'invalid_token' },
    'it has ended',
  )
  const { signIn: now } = await people.verify('marta', OTHER)
  t.equal(now!.secret, hash)
  const made = await tokens.addSession(id, { sign_in_id: now!.id, secret: now!.secret }, MINUTE)
  await tokens.drop(made.id, BY)
  await tokens.drop(made.id, BY) // that it has ended already is no error
  t.equal(await tokens.find(made.token), undefined)
})

t.test('a second step ends with the password that began it', async (t) => {
  const { store, clock } = await openRecords(t)
  const { people, secondFactors, signIns } = store
  const { id } = await addPerson({ app: { store } }, 'marta')
  const { user, signIn } = await people.verify('marta', GOOD)
  const { secret, ticket: prepared } = await secondFactors.prepare(user!, 'Calendar')
  t.type(await secondFactors.confirm(id, prepared, codeOf(secret, clock.now)), Array)
  const ticket = (await secondFactors.ask(user!, signIn!))!
  await signIns.remove(id, signIn!.id)
  t.same(await secondFactors.prove(ticket, '000000', async () => {}), { is: 'ended' })
})
