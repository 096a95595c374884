import t from 'tap'
import { type Api, build } from '../support/app.ts'
import { must } from '../support/events.ts'
import { begin, come, FROM_DESK, signIn } from '../support/openid.ts'
import { addPerson, GOOD, pageOf, signIn as signInHere } from '../support/people.ts'
import { openProvider, signInThere } from '../support/provider.ts'

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
