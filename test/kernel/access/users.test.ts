import t from 'tap'
import { passwordProblem, readAddress } from '../../../src/kernel/access/users.ts'

t.test('an address of mail names one mailbox, in lower case', async (t) => {
  for (const [text, address] of [
    [' Marta.Puig+desk@Town.Example ', 'marta.puig+desk@town.example'],
    ["o'neill@sub.town.example", "o'neill@sub.town.example"],
    [`${'x'.repeat(64)}@town.example`, `${'x'.repeat(64)}@town.example`],
  ] as const)
    t.equal(readAddress(text), address)
  for (const text of [
    ...['', 'marta', 'marta@town', '@town.example', 'marta@', 'marta@-town.example', 'marta@town..example'],
    ...['a@town.example, b@town.example', 'Marta <a@town.example>', 'a@town.example\r\nBcc: b@town.example'],
    ...['a b@town.example', '"a"@town.example', 'a@b@town.example', `${'x'.repeat(65)}@town.example`],
    `a@${'town.'.repeat(50)}example`,
    ...['Mar\u212Aa@town.example', 'marta@town.\u212Aexample'], // in lower case it would be that of somebody else
  ])
    t.equal(readAddress(text), undefined, text)
})

t.test('a password is long, unknown, and not what its user is called', async (t) => {
  const known = new Set(['password123'])
  const problem = (password: string, email: string | null = 'marta@town.example') =>
    passwordProblem(password, { login: 'marta.puig', name: 'Marta Puig', email }, known)
  t.equal(problem('three cups of green tea', null), undefined)
  t.equal(problem('ñandú çela'), undefined, 'characters count, not bytes')
  t.match(problem('ñandú çel'), /at least 10/)
  t.equal(problem('x'.repeat(200)), undefined)
  t.match(problem('x'.repeat(201)), /at most 200/)
  t.match(problem('three\u0000cups of tea'), /control characters/)
  for (const own of ['Marta.Puig', ' marta puig ', 'MARTA@town.example'])
    t.match(problem(own), /its user/, own)
  t.match(problem('PassWord123 '), /many people use/)
})
