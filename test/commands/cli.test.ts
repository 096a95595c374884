import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { run } from '../../src/cli.ts'
import { wordsOf } from '../../src/features/pages/words.ts'
import { VERSION } from '../../src/package.ts'
import { almanac } from '../support/almanac.ts'
import { basicAuth } from '../support/given.ts'
import { freePort } from '../support/ports.ts'
import { firstPassword, openBuilt, openMeasured, startProgram } from '../support/process.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

t.test('a user is added, also to a database that does not exist yet', async (t) => {
  const file = join(t.testdir(), 'new', 'a.db')
  const json = await almanac(file, ['user', 'add', 'Ada', '--role', 'editor', '--json'])
  t.equal(json.code, 0)
  t.equal(
    json.complained,
    `almanac: a new database was created: ${file}; a service with another DATABASE does not know this user\n`,
  )
  t.match(JSON.parse(json.printed), { id: 1, login: 'ada', role: 'editor', password: /^(\w{4} ){5}\w{4}$/ })
  const text = await almanac(file, ['user', 'add', 'bob', '--role', 'subscriber'])
  t.equal(text.complained, '')
  t.match(
    text.printed,
    /^Added bob \(subscriber\)\.\nApplication password \(shown only once\): (\w{4} ?){6}\n$/,
  )
  const again = await almanac(file, ['user', 'add', 'ADA', '--role', 'editor'])
  t.strictSame(again, { code: 1, printed: '', complained: 'almanac: a user "ADA" exists already\n' })

  const list = await almanac(file, ['user', 'list'])
  t.equal(list.printed, '   1  ada                      editor\n   2  bob                      subscriber\n')
  const listed = JSON.parse((await almanac(file, ['user', 'list', '--json'])).printed)
  t.strictSame(listed[0], { id: 1, login: 'ada', role: 'editor', disabled: false })
  t.equal((await almanac(file, ['migrate'])).printed, 'The database is up to date.\n')
})

t.test('no other command makes a database, or looks for another', async (t) => {
  const file = join(t.testdir(), 'a.db')
  for (const args of [
    ['user', 'list'],
    ['user', 'password', 'ada'],
    ['token', 'create', 'ada'],
    ['check'],
    ['rebuild'],
    ['backup', `${file}.copy`],
  ])
    t.strictSame(
      await almanac(file, args),
      {
        code: 1,
        printed: '',
        complained: `almanac: ${file}: does not exist; set DATABASE to the path of the database, or create one there by starting the service\n`,
      },
      args.join(' '),
    )
  t.same(readdirSync(t.testdirName), [])
})

t.test('wrong usage is exit code 2 with a word on what would be right', async (t) => {
  for (const [args, complaint] of [
    [['user', 'add', 'ada'], /required option '--role <role>'/],
    [
      ['user', 'add', 'ada', '--role', 'king'],
      /Allowed choices are subscriber, contributor, author, editor, administrator/,
    ],
    [['user', 'add', 'a b', '--role', 'editor'], /1 to 60 characters: letters, digits/],
    [['user', 'add', 'ada', '--role', 'editor', '--colour'], /unknown option '--colour'/],
    [['dance'], /^error: unknown command 'dance'\n`almanac --help` lists the commands/],
    [['backpu'], /^error: unknown command 'backpu'\n\(Did you mean backup\?\)\n/],
    [['serve', 'x'], /too many arguments for 'serve'/],
    [['--port'], /unknown option '--port'/],
  ] as const) {
    const { code, complained } = await almanac(':memory:', [...args])
    t.equal(code, 2, args.join(' '))
    t.match(complained, complaint)
  }
})

t.test('every command has help, and the program tells its version', async (t) => {
  for (const args of [
    ['--help'],
    ['user', '--help'],
    ['user', 'add', '--help'],
    ['openapi', '--help'],
    ['serve', '--help'],
  ]) {
    const { code, printed } = await almanac(':memory:', [...args])
    t.equal(code, 0)
    t.match(printed, /^Usage: almanac/)
  }
  t.strictSame(await almanac(':memory:', ['--version']), { code: 0, printed: `${VERSION}\n`, complained: '' })
})

t.test('a database that can not be used is one line and exit code 1', async (t) => {
  const file = join(t.testdir({ 'a.db': 'no database '.repeat(100) }), 'a.db')
  const { code, complained } = await almanac(file, ['migrate'])
  t.equal(code, 1)
  t.equal(complained, `almanac: ${file}: is not an SQLite database\n`)
})

t.test('a fault of the program shows where it happened', async (t) => {
  let complained = ''
  const code = await run(['migrate'], {
    env: { DATABASE: ':memory:' },
    print() {
      throw new Error('broken pipe')
    },
    complain: (text) => (complained += text),
    terminal: false,
  })
  t.equal(code, 1)
  t.match(complained, /^Error: broken pipe\n\s+at /)
})

t.test('the document is printed, or written to a file, in both versions', async (t) => {
  const { printed } = await almanac(':memory:', ['openapi'])
  t.equal(JSON.parse(printed).openapi, '3.1.0')
  const file = join(t.testdir(), 'older.json')
  t.strictSame(await almanac(':memory:', ['openapi', '--older', '--output', file]), {
    code: 0,
    printed: '',
    complained: '',
  })
  t.equal(JSON.parse(readFileSync(file, 'utf8')).openapi, '3.0.3')
})

t.test('the words of the pages are printed, as a file to begin with', async (t) => {
  const words = async (...args: string[]) =>
    JSON.parse((await almanac(':memory:', ['words', ...args])).printed)
  t.same(await words(), wordsOf('en'))
  t.same(await words('de'), wordsOf('de'))
  const { printed } = await almanac(':memory:', ['words', 'fr'])
  t.equal(printed, readFileSync(new URL('../../words/fr/pages.json', import.meta.url), 'utf8'))
})

/** Starts the service and waits until it listens, or has ended. */
async function start(t: Test, env: Record<string, string>, way = openBuilt()) {
  const started = startProgram(t, way, ['serve'], env)
  await started.said(/Almanac answers|almanac:/)
  return started
}

t.test('who reads output in part has what they want; output that can not be written fails', async (t) => {
  const { args, vars } = openMeasured()
  for (const [stdout, code, complaint] of [
    ['pipe', 0, /^$/],
    [openSync('/dev/full', 'w'), 1, /^almanac: ENOSPC.*\n$/],
  ] as const) {
    const child = spawn(process.execPath, [...args, 'openapi'], {
      env: { ...process.env, ...vars },
      stdio: ['ignore', stdout, 'pipe'],
    })
    child.stdout?.once('data', () => child.stdout!.destroy())
    let complained = ''
    child.stderr!.on('data', (chunk) => (complained += chunk))
    t.equal((await once(child, 'close'))[0], code)
    t.match(complained, complaint)
  }
})

t.test('the very first start makes a user, says so once, and ends in order', async (t) => {
  const port = await freePort()
  const env = { DATABASE: join(t.testdir(), 'a.db'), PORT: String(port) }
  const first = await start(t, env)
  t.match(first.output(), `Almanac answers at http://127.0.0.1:${port}/calendar/events/v1/`)
  const password = firstPassword(env.DATABASE)
  t.match(password, /^(\w{4} ){5}\w{4}$/)
  t.notOk(first.output().includes(password), 'output that is no terminal becomes a log')
  const answer = await fetch(`http://127.0.0.1:${port}/calendar/events/v1/events?password=hush`, {
    method: 'POST',
    headers: { authorization: basicAuth('admin', password), 'content-type': 'application/json' },
    body: '{"title":"First event","start_date":"tomorrow","end_date":"tomorrow","all_day":true}',
  })
  t.equal(answer.status, 201)

  const second = await start(t, { ...env, DATABASE: join(t.testdirName, 'b.db') })
  t.equal(await second.ended, 1, 'a port that is taken')
  t.equal(
    second.output(),
    `almanac: port ${port} of 127.0.0.1 is in use (EADDRINUSE); stop what listens there, or set PORT to another port\n`,
  )

  first.child.kill('SIGTERM')
  t.equal(await first.ended, 0)
  t.match(first.output(), /"method":"POST","path":"\/calendar\/events\/v1\/events"/, 'a line a request')
  t.notMatch(first.output(), /hush/, 'without what a query may hide')

  const bin = await start(t, env, { ...openBuilt(), args: [here('../../bin/almanac.js')] })
  bin.child.kill('SIGTERM')
  t.equal(await bin.ended, 0, 'the installed command')

  const again = await start(t, env)
  t.notMatch(again.output(), /first-password|Application password/)
  const waiting = connect(port, '127.0.0.1')
  waiting.on('error', () => {})
  waiting.write(
    'POST /calendar/events/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  )
  await once(waiting, 'connect')
  await fetch(`http://127.0.0.1:${port}/healthz`) // the other has been read when this is answered
  again.child.kill('SIGINT')
  again.child.kill('SIGTERM')
  t.equal(await again.ended, 1, 'a second signal ends at once')
})

t.test('mistakes in the configuration are told together', async (t) => {
  const { ended, output } = await start(t, {
    PORT: 'abc',
    TIMEZONE: 'Mars/Phobos',
    DATABASE: join(t.testdir(), 'a.db'),
  })
  t.equal(await ended, 1)
  t.equal(
    output(),
    'almanac: The configuration has mistakes:\n  PORT must be a whole number from 0 to 65535; it is "abc".\n  TIMEZONE must be an IANA time zone such as Europe/Madrid; it is "Mars/Phobos".\n',
  )
})
