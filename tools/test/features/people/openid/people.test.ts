import t from 'tap'
import { must, refusal } from '../../../../../test/support/answers.ts'
import { type Api, build } from '../../../../../test/support/app.ts'
import { addPerson, GOOD, pageOf, signIn as signInHere } from '../../../../../test/support/people.ts'
import { begin, come, FROM_DESK, sessionOf, signIn } from '../../../support/openid.ts'
import { openProvider, signInThere } from '../../../support/provider.ts'

const idIn = (to: string | undefined) => Number(/#\/openid\/(\d+)$/.exec(to!)?.[1])
const linksOf = ({ app }: Api, id: number) => app.store.signIns.list(id, 'openid')

t.test('who is signed out meanwhile is not linked', async (t) => {
  const provider = await openProvider(t, { thief: {}, marta: {} })
  const api = await build(t, { env: provider.env })
  const { id } = await addPerson(api, 'marta')
  const enter = async () => pageOf(await signInHere(api, 'marta', GOOD)).headers
  const stolen = await enter()
  const began = await begin(api, '?link=true', { cookie: stolen.cookie! })
  const back = await signInThere(began.there, 'thief')
  // Marta ends all sessions, as one does who fears for the account
  const { sessions } = await must(api.administrator.get(`/users/${id}/sessions`))
  for (const session of sessions) await must(api.administrator.delete(`/users/${id}/sessions/${session.id}`))
  t.match((await come(api, back, began.cookie)).to, /#\/openid\/openid_not_begun\//)
  t.same(await linksOf(api, id), [])

  const own = await begin(api, '?link=true', { cookie: (await enter()).cookie! })
  t.equal(idIn((await come(api, await signInThere(own.there, 'marta'), own.cookie)).to), id)
  t.match(await linksOf(api, id), [{ external: `${provider.issuer} marta` }])
})

t.test('no name and no address of the provider keeps anybody from signing in', async (t) => {
  const verified = { email_verified: true, preferred_username: 'guest' }
  const people = {
    // an emoji is one character, of two code units
    long: { ...verified, name: `${'a'.repeat(99)}😀${'b'.repeat(50)}`, email: 'long@town.test' },
    odd: { ...verified, name: ' Maria\nPuig ', email: 'maria@localhost' },
    taken: { ...verified, name: '\n', email: 'Berta@town.test' },
  }
  const provider = await openProvider(t, people)
  const api = await build(t, { env: { ...provider.env, OPENID_NEW_USERS: 'author' } })
  const { users } = api.app.store
  const berta = (await users.add('berta@town.test', 'editor'))!
  const arrive = async (who: string) => users.find(idIn((await signIn(api, who)).to))
  t.match(await arrive('long'), { name: `${'a'.repeat(99)}😀`, email: 'long@town.test' })
  t.match(await arrive('odd'), { name: 'Maria Puig', email: null }, 'mail would not reach it')
  const taken = await arrive('taken')
  t.match(taken, { name: '', email: null }, 'it is the login of somebody else')
  t.not(taken.id, berta.id)
  t.equal((await users.called('berta@town.test'))!.id, berta.id)
  const { entries } = await must(api.administrator.get('/audit?code=user_changed'))
  t.match(
    entries.map(({ details }: { details: object }) => details),
    [{ name: '– → Maria Puig' }, { name: /^– → a+😀$/, email: '– → long@town.test' }],
  )
})

t.test('an address in other letters is not that of who was invited', async (t) => {
  // K of the unit Kelvin is k in lower case
  const people = { other: { email: '\u212Aate@town.test', email_verified: true } }
  const provider = await openProvider(t, people)
  const api = await build(t, { env: provider.env })
  const made = await api.app.store.people.add({ login: 'kate', role: 'editor', email: 'kate@town.test' })
  const came = await signIn(api, 'other', { accept: FROM_DESK.accept })
  t.match(came.to, /openid_no_account\/unknown$/)
  t.same(await linksOf(api, made!.user.id), [])
})

t.test('a link is listed, and removed with the sessions that it opened', async (t) => {
  const provider = await openProvider(t, { marta: {}, thief: {} })
  const api = await build(t, { env: provider.env })
  const { id } = await addPerson(api, 'marta')
  const links = `/users/${id}/provider-links`
  const link = async (who: string) => {
    const { headers } = pageOf(await signInHere(api, 'marta', GOOD))
    const began = await begin(api, '?link=true', { cookie: headers.cookie! })
    return come(api, await signInThere(began.there, who), began.cookie)
  }
  const own = await link('marta')
  api.clock.now += 60_000
  const other = await link('thief')
  api.clock.now += 60_000
  const again = await signIn(api, 'thief')
  const page = {
    headers: { ...FROM_DESK, authorization: `Session ${id}`, cookie: own.session! },
  }
  const { provider_links: all, total } = await must(api.anonymous.get(links, undefined, page))
  t.equal(total, 2)
  t.match(all, [
    { name: 'Town', created_utc: '2026-11-21 09:00:00', last_used_utc: '2026-11-21 09:00:00' },
    { created_utc: '2026-11-21 09:01:00', last_used_utc: '2026-11-21 09:02:00' },
  ])
  t.notMatch(JSON.stringify(all), /thief/)
  t.equal(refusal(await api.editor.get(links)), '403 rest_forbidden')
  t.equal(refusal(await api.editor.delete(`${links}/${all[1].id}`)), '403 rest_forbidden')
  const past = `${links}?per_page=1&page=3`
  t.equal(refusal(await api.administrator.get(past)), '404 provider-link-archive-page-not-found')
  t.strictSame((await api.anonymous.delete(`${links}/${all[1].id}`, undefined, page)).body, all[1])
  for (const { session } of [other, again]) t.equal((await sessionOf(api, session!, id)).status, 401)
  t.match((await signIn(api, 'thief')).to, /openid_no_account\/unknown$/)
  t.equal((await sessionOf(api, own.session!, id)).status, 200, 'the other one goes on')
  const gone = await api.anonymous.delete(`${links}/${all[1].id}`, undefined, page)
  t.equal(refusal(gone), '404 provider-link-not-found')
  const [way] = await api.app.store.signIns.list(id, 'password')
  t.equal(refusal(await api.administrator.delete(`${links}/${way!.id}`)), '404 provider-link-not-found')
  t.equal(refusal(await api.administrator.get('/users/999/provider-links')), '404 user-not-found')
  const { entries } = await must(api.administrator.get('/audit?code=sign_in_removed'))
  t.match(entries, [{ user: id, details: { kind: 'openid', name: 'Town', owner: 'marta' } }])
})
