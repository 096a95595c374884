import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import t from 'tap'
import { freePort } from '../support/ports.ts'

t.test('a port of the tests is free, and is given to no other process meanwhile', async (t) => {
  const ports: number[] = []
  for (let at = 0; at < 3; at++) {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    t.teardown(() => server.close())
    ports.push(port)
  }
  t.equal(new Set(ports).size, 3)
  t.ok(ports.every((port) => port >= 10_000 && port < 32_768))
  const url = new URL('../support/ports.ts', import.meta.url).href
  const script = `import(${JSON.stringify(url)}).then(async ({ freePort }) => console.log(await freePort()))`
  const other = Number(
    execFileSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' }),
  )
  t.ok(Math.abs(other - ports[0]!) >= 40, `${other} is in another block than ${ports[0]}`)
})
