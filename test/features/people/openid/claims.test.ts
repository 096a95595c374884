import t from 'tap'
import {
  emailIn,
  isSubject,
  loginIn,
  mergedClaims,
  nameIn,
  readRoleClaim,
  roleIn,
} from '../../../../src/features/people/openid/accounts.ts'

t.test('roles are read from the values of a claim', async (t) => {
  const groups = readRoleClaim('groups:calendar-editors=editor, /town/admins = administrator,a=b=author')!
  t.same(groups, {
    claim: 'groups',
    roles: [
      { value: 'calendar-editors', role: 'editor' },
      { value: '/town/admins', role: 'administrator' },
      { value: 'a=b', role: 'author' },
    ],
  })
  t.equal(readRoleClaim('https://town.example/roles:urn:x:y=editor')!.claim, 'https://town.example/roles')
  t.equal(readRoleClaim('https://town.example/roles'), undefined)
  for (const [value, role] of [
    [['calendar-editors'], 'editor'],
    [['calendar-editors', '/town/admins'], 'administrator', 'the strongest'],
    ['a=b', 'author', 'one value alone'],
    [['Calendar-Editors'], undefined],
    [undefined, undefined],
    [{ editor: true }, undefined],
  ] as const)
    t.equal(roleIn({ groups: value }, groups), role, JSON.stringify(value))
})

t.test('dots lead into a claim, unless one is called so', async (t) => {
  const roles = readRoleClaim('realm_access.roles:editors=editor')!
  t.equal(roleIn({ realm_access: { roles: ['editors'] } }, roles), 'editor')
  t.equal(roleIn({ 'realm_access.roles': ['other'], realm_access: { roles: ['editors'] } }, roles), undefined)
  for (const realm_access of [null, 'roles', {}]) t.equal(roleIn({ realm_access }, roles), undefined)
  const inherited = readRoleClaim('constructor.name:Object=editor')!
  t.equal(roleIn({}, inherited), undefined)
})

t.test('an address counts only where the provider has verified it', async (t) => {
  t.equal(emailIn({ email: ' Maria@Town.test', email_verified: true }), 'maria@town.test')
  for (const claims of [
    { email: 'maria@town.test' },
    { email: 'maria@town.test', email_verified: 'true' },
    { email: 'maria@town.test', email_verified: false },
    { email: 'maria', email_verified: true },
    // a letter that is not K becomes one in lower case
    { email: 'Mar\u212Aa@town.test', email_verified: true },
    { email: `${'a'.repeat(250)}@b.example`, email_verified: true },
    { email: 7, email_verified: true },
    { email_verified: true },
  ])
    t.equal(emailIn(claims), undefined, JSON.stringify(claims))
})

t.test('a name and a login are made of what people are called', async (t) => {
  t.equal(nameIn({ name: ' Maria ' }), 'Maria')
  t.equal(nameIn({ name: ' ' }), undefined)
  t.equal(loginIn({ preferred_username: 'Maria Puig', email: 'x@y.z' }), 'maria-puig')
  t.equal(loginIn({ email: 'Maria@town.test' }), 'user', 'an address that is not verified is no name')
  t.equal(loginIn({ email: 'Maria@town.test', email_verified: true }), 'maria')
  t.equal(loginIn({ preferred_username: 'Maria@town.test' }), 'maria', 'nobody gets the address of another')
  t.equal(loginIn({ preferred_username: '@maria@town.test' }), '-maria')
  t.equal(loginIn({ preferred_username: '@@' }), 'user')
  t.equal(loginIn({ preferred_username: '玛丽' }), 'user')
  t.equal(loginIn({}), 'user')
})

t.test('an address and whether it is verified are of one source', async (t) => {
  const verified = (email: string, email_verified: unknown = true) => ({ email, email_verified })
  for (const [idToken, userInfo, address] of [
    [{ email: 'boss@town.test' }, verified('eve@town.test'), 'eve@town.test'],
    [{ email_verified: true }, { email: 'boss@town.test' }, undefined],
    [{ email_verified: true }, verified('boss@town.test', false), undefined],
    [{ email: 'boss@town.test' }, { email_verified: true }, undefined],
    [verified('boss@town.test', false), verified('boss@town.test'), undefined],
    [verified('eve@town.test'), { email: 'boss@town.test' }, 'eve@town.test'],
    [verified('eve@town.test'), {}, 'eve@town.test'],
    [{}, verified('eve@town.test'), 'eve@town.test'],
  ] as const)
    t.equal(emailIn(mergedClaims(idToken, userInfo)), address, JSON.stringify([idToken, userInfo]))
  t.match(mergedClaims({ sub: '1', name: 'A' }, { sub: '1', name: 'B', groups: ['c'] }), {
    ...{ sub: '1', name: 'A' },
    groups: ['c'],
  })
})

t.test('a subject is a text of at most 255 characters that can be stored', async (t) => {
  for (const subject of ['1', 'auth0|5f7c', 'Zoë', 'x'.repeat(255)]) t.ok(isSubject(subject), subject)
  for (const subject of ['', 'x'.repeat(256), 'a\u0000b', 'a\nb', undefined, 7])
    t.notOk(isSubject(subject), JSON.stringify(subject))
})
