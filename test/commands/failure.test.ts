import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { explainFailure } from '../../src/kernel/cli.ts'
import { explain } from '../../src/kernel/database/file.ts'
import { ApiError } from '../../src/kernel/errors.ts'
import { fail } from '../../src/kernel/shell.ts'
import { almanac } from '../support/almanac.ts'

const failure = (code: string, more: object = {}) =>
  Object.assign(new Error('in other words'), { code, ...more })
const REBUILD = /; where Almanac is installed, run: npm rebuild better-sqlite3$/

t.test('what an operator can put right is told in one sentence', async (t) => {
  for (const [error, told] of [
    [fail('too late'), /^too late$/],
    [new ApiError('token-not-found', 'There is no token.'), /^There is no token\.$/],
    [failure('ERR_DLOPEN_FAILED'), /^the compiled part of SQLite does not fit Node\.js v\d/],
    [failure('ERR_DLOPEN_FAILED'), REBUILD],
    [
      new Error('Could not locate the bindings file. Tried:\n → /x'),
      /^the compiled part of SQLite is missing/,
    ],
    [new Error('Could not locate the bindings file. Tried:\n → /x'), REBUILD],
    [
      failure('EADDRINUSE', { port: 80, address: '::1' }),
      /^port 80 of ::1 is in use .* set PORT to another port$/,
    ],
    [failure('EADDRINUSE', { port: 9100, address: '::1' }), /set METRICS_PORT to another port$/],
    [
      failure('EADDRNOTAVAIL', { port: 80, address: '1.2.3.4' }),
      /^HOST 1\.2\.3\.4 is not an address of this machine/,
    ],
    [failure('EACCES', { port: 80 }), /^port 80 is for administrators only .* set PORT to 1024 or more$/],
    [
      failure('ENOTFOUND', { hostname: 'nowhere.test' }),
      /^HOST nowhere\.test is not known \(ENOTFOUND\); set HOST/,
    ],
    [failure('EAI_AGAIN', { hostname: 'nowhere.test' }), /^HOST nowhere\.test is not known/],
    [
      failure('EACCES', { path: '/srv/media' }),
      /^\/srv\/media: the user that runs Almanac has no permission \(EACCES\)$/,
    ],
    [failure('EROFS', { path: '/srv/media' }), /^\/srv\/media: the file system is read-only \(EROFS\)$/],
    [failure('ENOSPC'), /^the disk is full \(ENOSPC\)$/],
  ] as const) {
    const sentence = explainFailure(error, '9100')
    t.match(sentence, told)
    t.notMatch(sentence, /\n/)
  }
})

t.test('a fault of the program is not explained away', async (t) => {
  for (const error of [new Error('x'), failure('ERR_ASSERTION'), failure('ECONNRESET', { port: 80 })])
    t.equal(explainFailure(error), undefined)
})

t.test('a database on a full disk is told as that', async (t) => {
  for (const code of ['SQLITE_FULL', 'ENOSPC'])
    t.match(explain(failure(code), '/srv/a.db'), {
      message: '/srv/a.db: can not be written, because the disk is full; free some space',
      unusable: true,
    })
})

t.test('a start that can not succeed says why, without a stack', async (t) => {
  const dir = t.testdir({ file: 'in the way' })
  const at = (name: string) => join(dir, name)
  mkdirSync(at('folder'))
  writeFileSync(at('text.db'), 'no database '.repeat(100))
  for (const [database, args, told] of [
    [':memory:', ['backup', at('x.db')], /:memory:: does not exist/],
    [at('file/a.db'), [], /file\/a\.db: can not be opened/],
    [at('file/a.db'), ['serve'], /file\/a\.db: can not be opened; check the path/],
    [at('folder'), ['serve'], /folder: can not be opened; check the path/],
    [at('text.db'), ['serve'], /text\.db: is not an SQLite database/],
    [
      ':memory:',
      ['openapi', '--output', at('none/openapi.json')],
      /none\/openapi\.json: the folder does not exist/,
    ],
    [':memory:', ['openapi', '--output', at('folder')], /folder: it is a folder, not a file/],
  ] as const) {
    const { code, complained } = await almanac(database, [...args])
    t.equal(code, 1)
    t.match(complained, /^almanac: [^\n]+\n$/)
    t.match(complained, told)
  }
})
