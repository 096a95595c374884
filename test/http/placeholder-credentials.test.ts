import t from 'tap'
import { build, EVENT, ROOT } from '../support/app.ts'

t.test('who reads with credentials that nobody has is told to read without', async (t) => {
  const { anonymous } = await build(t)
  for (const authorization of ['Bearer undefined', 'Basic Og==', 'Basic dXNlcjpwYXNz', 'Token x']) {
    const headers = { authorization }
    const read = await anonymous.send({ url: `${ROOT}/events`, headers })
    t.match(read, {
      status: 401,
      body: { message: / leave out the Authorization header\.$/ },
      headers: { 'www-authenticate': /Basic/ },
    })
    const write = await anonymous.send({ method: 'POST', url: `${ROOT}/events`, headers, payload: EVENT })
    t.equal(write.status, 401)
    t.notMatch(write.body.message, 'leave out')
  }
  t.equal((await anonymous.get('/events')).status, 200)
})
