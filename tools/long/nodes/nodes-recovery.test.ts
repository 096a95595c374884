import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { EVENT } from '../../../test/support/given.ts'
import { draw } from '../../../test/support/pictures.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import { openBuilt } from '../../../test/support/process.ts'
import {
  ask,
  askAgain,
  caughtUp,
  credentialsOf,
  inspectCopies,
  openNode,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'

const GUIDE = readFileSync(new URL('../../../docs/scaling.md', import.meta.url), 'utf8')
const SECTION = GUIDE.slice(GUIDE.indexOf('### Backups\n'), GUIDE.indexOf('### Check\n'))
/** The commands of the section, in order, as they are printed. */
const [BACKUP, ...RECOVERY] = [...SECTION.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines!)

async function upload(node: ServedNode, authorization: string, name: string) {
  const answer = await fetch(`${node.root}/media`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${name}"`,
    },
    body: new Blob([new Uint8Array(await draw(400, 300))]),
  })
  const { url, sizes } = (await answer.json()) as { url: string; sizes: Record<string, { url: string }> }
  return [url, ...Object.values(sizes).map((size) => size.url)].map((one) => new URL(one).pathname)
}

t.test('the way back to a backup of a node is as the guide prints it, with all pictures', async (t) => {
  t.equal(RECOVERY.length, 2)
  const folder = t.testdir({ backup: {}, bin: {} })
  const server = await startPostgres(t)
  const nodes = [await openNode(t, folder, server.url), await openNode(t, folder, server.url)]
  const [one, two] = nodes as [ServedNode, ServedNode]
  for (const node of nodes) await node.start()
  const authorization = credentialsOf(one)
  const create = async (title: string) =>
    t.equal(
      (await askAgain(one, 'POST', '/events', { authorization, body: { ...EVENT, title } })).status,
      201,
    )
  await create('before')
  const pictures = [
    ...(await upload(one, authorization, 'one.png')),
    ...(await upload(two, authorization, 'two.png')),
  ]
  t.equal(pictures.length, 6)

  const program = join(folder, 'bin', 'almanac')
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${openBuilt().args.join(' ')} "$@"\n`)
  chmodSync(program, 0o755)
  const walk = (lines: string) =>
    execFileSync(
      'bash',
      [
        '-ec',
        lines
          .replaceAll('npm run -s almanac --', program)
          .replaceAll('postgres://almanac@db.example.org/almanac', server.url)
          .replaceAll('/backup/', `${join(folder, 'backup')}/`),
      ],
      {
        env: {
          ...process.env,
          DATABASE: server.url,
          REPLICA: one.file,
          MEDIA_DIR: join(dirname(one.file), 'media'),
        },
        encoding: 'utf8',
        // what is typed where a password is asked for
        input: 'secret\n',
      },
    )
  const told = walk(BACKUP!.split('\n')[0]!)
  t.match(told, /6 files of its pictures are in/)
  t.equal(
    readdirSync(join(folder, 'backup', 'media'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.png'),
    ).length,
    6,
  )
  await create('after')
  for (const node of nodes) await node.stop()
  walk(RECOVERY[0]!)
  for (const node of nodes) await node.start()
  for (const node of nodes) await caughtUp(node, authorization)
  walk(RECOVERY[1]!)
  for (const node of nodes) {
    t.match(JSON.parse((await ask(node, 'GET', '/events')).text).events, [{ title: 'before' }])
    for (const path of pictures) t.equal((await fetch(new URL(path, node.root))).status, 200, path)
  }
  for (const node of nodes) await node.stop()
  t.same(await inspectCopies(nodes), [])
})
