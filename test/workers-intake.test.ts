import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { EVENT, ROOT } from './support/app.ts'
import { connectAll, replyTo } from './support/connection.ts'
import { addToken, serveMeasured } from './support/process.ts'

t.test(
  'every process lets clients that ask first go on, and refuses the others before their bodies come',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const authorization = `Bearer ${await addToken(file)}`
    const { port } = await serveMeasured(t, file, { WORKERS: '2' })
    const { all } = await connectAll(port, 2)
    const body = JSON.stringify(EVENT)
    for (const by of all) {
      const headers = { expect: '100-continue', 'content-type': 'application/json' }
      const length = String(body.length)
      const asked = by.begin('POST', `${ROOT}/events`, {
        ...headers,
        authorization,
        'content-length': length,
      })
      asked.flushHeaders()
      await once(asked, 'continue')
      asked.end(body)
      t.equal((await replyTo(asked)).status, 201)

      let wentOn = false
      const refused = by.begin('POST', `${ROOT}/media`, { ...headers, 'content-length': '10000000' })
      refused.on('continue', () => (wentOn = true))
      refused.flushHeaders()
      const { status, headers: told } = await replyTo(refused)
      t.match({ status, connection: told.connection }, { status: 401, connection: 'close' })
      t.notOk(wentOn)
      by.close()
    }
  },
)
