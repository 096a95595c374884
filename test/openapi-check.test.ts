import { readFileSync } from 'node:fs'
import t from 'tap'
import { run } from '../src/cli.ts'

async function check(...args: string[]) {
  let [printed, complained] = ['', '']
  const shell = {
    env: {},
    print: (text: string) => (printed += text),
    complain: (text: string) => (complained += text),
    terminal: false,
  }
  return { code: await run(['openapi', ...args], shell as never), printed, complained }
}

t.test('the command compares with the last release, or with a file', async (t) => {
  const same = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
  const { '/tags': _, ...without } = same.paths
  const more = structuredClone(same)
  more.paths['/more'] = same.paths['/tags']
  const dir = t.testdir({
    'same.json': JSON.stringify(same),
    'less.json': JSON.stringify({ ...same, paths: without }),
    'more.json': JSON.stringify(more),
    'not.json': 'nothing',
  })
  t.same(await check('--check', `${dir}/same.json`), {
    code: 0,
    printed: 'Nothing changed since 0.1.0.\n',
    complained: '',
  })
  t.same(await check('--check', `${dir}/less.json`), {
    code: 0,
    printed:
      'Changes since 0.1.0: 0 breaking, 2 compatible.\n  compatible  GET /tags is new\n  compatible  POST /tags is new\n',
    complained: '',
  })
  const broken = await check('--check', `${dir}/more.json`, '--output', `${dir}/none.json`)
  t.same(broken, {
    code: 1,
    printed:
      'Changes since 0.1.0: 2 breaking, 0 compatible.\n  breaking    GET /more was removed\n  breaking    POST /more was removed\n',
    complained: 'almanac: changes since 0.1.0 break clients\n',
  })
  const { code, printed } = await check('--json', '--check', `${dir}/more.json`)
  t.match(
    [code, JSON.parse(printed)],
    [
      1,
      {
        since: '0.1.0',
        breaking: true,
        changes: [{ breaking: true, where: 'GET /more', what: 'was removed' }, {}],
      },
    ],
  )
  t.match(await check('--check', `${dir}/not.json`), {
    code: 1,
    complained: /not\.json is not an OpenAPI document/,
  })
  t.match(await check('--check'), { code: 0, complained: '' }, 'nothing that was released is broken')
})
