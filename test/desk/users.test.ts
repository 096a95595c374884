import t from 'tap'
import { curlLine, initialsOf, loginOf } from '../../desk/rules/users.ts'

t.test('a login is proposed from an address of mail', async (t) => {
  for (const [email, login] of [
    ['Marta.Puig@town.example', 'marta.puig'],
    ['núria+agenda@town.example', 'nuriaagenda'],
    ['marta', 'marta'],
    ['', ''],
    [`${'a'.repeat(64)}@town.example`, 'a'.repeat(60)],
  ] as const)
    t.equal(loginOf(email), login, email)
})

t.test('a person has the initials of the name', async (t) => {
  for (const [name, initials] of [
    ['Marta Puig i Serra', 'MP'],
    ['berta', 'B'],
    ['anna.roca@town.example', 'AR'],
    ['😀 smile', '😀S'],
    ['', ''],
  ] as const)
    t.equal(initialsOf(name), initials, name)
})

t.test('a line of curl is taken by a shell as it is meant', async (t) => {
  t.equal(
    curlLine({ url: 'https://town.example/api/events?per_page=3', token: 'abc' }),
    "curl -H 'Authorization: Bearer abc' 'https://town.example/api/events?per_page=3'",
  )
  t.equal(
    curlLine({ url: 'https://town.example/', user: "berta:it's me" }),
    "curl -u 'berta:it'\\''s me' 'https://town.example/'",
  )
  t.equal(
    curlLine({ url: 'https://shop.example/hook', body: { type: 'ping' } }),
    `curl -H 'Content-Type: application/json' -d '{"type":"ping"}' 'https://shop.example/hook'`,
  )
})
