import { join } from 'node:path'
import t from 'tap'
import { openDice } from '../../../bench/seed/random.ts'
import { must } from '../../support/answers.ts'
import { build, type Client, EVENT } from '../../support/app.ts'
import { type Listening, openListeners } from '../../support/listening.ts'

const SEED = Number(process.env.SEED ?? 20_261_122)
const WRITES = 120
const LAST = 'Concert at last'

type Named = { name?: string; venue?: unknown }
const nameOf = (record: Named) => record.name ?? record.venue

/** In one order, and without what is not followed: numbers of events of the tags inside events. */
const sorted = (records: [string, unknown][]) =>
  records
    .map(([key, record]) => [
      key,
      key.startsWith('event') ? JSON.stringify(record).replace(/"count":\d+,/g, '') : record,
    ])
    .sort()

/** What a listener knows: records by kind and ID, from messages alone. */
function openMirror({ next }: Pick<Listening, 'next'>) {
  const records = new Map<string, Named>()
  return {
    records,
    /** Reads on until a record of this kind has been told by its name. */
    async until(last: string, name: string) {
      for (;;) {
        const { changes } = (await next())!.data
        for (const { kind, id, operation, record } of changes)
          if (operation === 'delete') records.delete(`${kind} ${id}`)
          else records.set(`${kind} ${id}`, record)
        if ([...records].some(([key, record]) => key.startsWith(last) && nameOf(record) === name)) return
      }
    },
  }
}

t.test(`whoever listens through random writes has what the list has (SEED=${SEED})`, async (t) => {
  const api = await build(t, { env: { DATABASE: join(t.testdir(), 'a.db') } })
  const { listen } = await openListeners(t, api)
  const { below, of } = openDice(SEED)
  const { author, editor, anonymous, credentials } = api
  const by = (role: 'author' | 'editor') => ({ authorization: credentials[role].authorization })
  const interests: [Client, string, Record<string, string>][] = [
    [anonymous, '?kind=event,venue,tag', {}],
    [anonymous, '?kind=event,venue&status=publish', {}],
    [editor, '?kind=event,venue&status=publish,draft', by('editor')],
    [author, '?kind=event,tag&search=concert', by('author')],
  ]
  const mirrors = await Promise.all(
    interests.map(async ([, path, headers]) => openMirror(await listen(path, { headers }))),
  )
  const ids: number[] = []
  const writes = [
    async () => {
      const who = of([author, editor])
      const venue = { venue: `Hall ${below(5)}` }
      const status = of(['publish', 'draft', 'pending'])
      const title = of(['Concert', 'Reading'])
      const links = { ...(below(2) === 0 && { venue }), ...(who === editor && { tags: [`tag ${below(4)}`] }) }
      ids.push((await must(who.post('/events', { ...EVENT, title, status, ...links }))).id)
    },
    () => editor.patch(`/events/${of(ids)}`, { title: of(['Concert', 'Talk']), password: '' }),
    () => editor.patch(`/events/${of(ids)}`, { status: of(['publish', 'draft']) }),
    () => editor.patch(`/events/${of(ids)}`, { password: of(['secret', '']) }),
    () => editor.delete(`/events/${of(ids)}`),
    () => editor.patch(`/tags/${1 + below(4)}`, { description: `About ${below(100)}` }),
    () => editor.delete(`/tags/${1 + below(4)}`),
  ]
  for (let at = 0; at < 5; at++) await writes[0]!()
  for (let at = 0; at < WRITES; at++) await of(writes)()
  await must(editor.post('/tags', { name: LAST }))
  await must(editor.post('/venues', { venue: LAST }))
  for (const [at, { records, until }] of mirrors.entries()) {
    const [client, path] = interests[at]!
    await until(path.includes('venue') ? 'venue' : 'tag', LAST)
    const { changes, has_more } = await must(client.get(`/changes${path}&per_page=500`))
    t.notOk(has_more)
    const expected = changes.map(({ kind, id, record }: Record<string, unknown>) => [`${kind} ${id}`, record])
    t.same(sorted([...records]), sorted(expected), path)
    t.ok(records.size > 1)
  }
})
