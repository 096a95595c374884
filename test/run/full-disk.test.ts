import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { almanac } from '../support/almanac.ts'
import { openSmallDisk } from '../support/damage.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { addToken } from '../support/process.ts'

for (const [how, isClosed] of [
  ['was stopped while there was room', true],
  ['was stopped when there was none', false],
] as const)
  t.test(`on a full disk a service that ${how} starts, reads, and says what is full`, async (t) => {
    const disk = openSmallDisk(t, 16)
    if (typeof disk === 'string') return void t.pass(`skipped: ${disk}`)
    const file = join(disk.folder, 'a.db')
    const headers = { authorization: `Bearer ${await addToken(file)}` }
    const config = readConfig({ DATABASE: file, MEDIA_DIR: join(disk.folder, 'media'), MAX_DELAY: '0' })
    const open = async () => {
      const app = await buildApp({ config })
      const write = async () =>
        (await app.inject({ method: 'POST', url: `${ROOT}/events`, headers, payload: EVENT })).statusCode
      const read = async () => (await app.inject(`${ROOT}/events`)).json().total
      return { app, write, read }
    }
    const first = await open()
    for (let at = 0; at < 60; at++) await first.write()
    if (!isClosed) disk.fill()
    await first.app.close().catch((error) => t.match(error.code, 'SQLITE_FULL'))
    if (isClosed) disk.fill()

    const told: string[] = []
    await prepare(config, { print: (text) => void told.push(text), terminal: false })
    t.same(told, [
      `${file}: can not be written, because the disk is full; free some space. It can be read.\n`,
    ])
    const { app, write, read } = await open()
    t.equal(await read(), 60)
    t.equal(await write(), 507)
    disk.free()
    t.equal(await write(), 201, 'and writes when there is room again')
    t.equal(await read(), 61)
    await app.close()
    disk.fill()
    t.match(await almanac(file, ['user', 'list']), { code: 0, printed: /administrator|editor/ })
    t.match(await almanac(file, ['check']), { code: 0, printed: /Nothing differs in 61 records/ })
    t.match(await almanac(file, ['backup', join(t.testdir(), 'copy.db')]), { code: 0, printed: /61 events/ })
    t.match(await almanac(file, ['user', 'add', 'berta', '--role', 'editor']), {
      code: 1,
      complained: 'almanac: the database can not be written, because the disk is full; free some space\n',
    })
  })
