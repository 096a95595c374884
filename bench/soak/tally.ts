import { sql } from 'drizzle-orm'
import { findDamage, findDifferences } from '../../test/support/damage.ts'
import { openFile } from '../../test/support/process.ts'
import { TORN } from './mixture.ts'
import type { Kept, World } from './world.ts'

const ALL = '/events?start_date=0001-01-01&end_date=9999-12-31&per_page=1'

/** What the service answers otherwise than is to be expected of the writes that it acknowledged. */
export async function compareAnswers(
  { client, categories, tags, venues }: World,
  events: Kept[],
): Promise<string[]> {
  const found: string[] = []
  const shown = events.filter(({ status }) => status === 'publish')
  const compare = (what: string, is: number, wanted: number) => {
    if (is !== wanted) found.push(`${what}: ${is}, not ${wanted}`)
  }
  const total = async (path: string) => {
    const { status, body } = await client.send({ path, right: [200, 404] })
    return status === 404 ? 0 : (body.total as number)
  }
  const linked = (name: 'category' | 'tag' | 'venue', id: number) =>
    shown.filter((event) => event[name] === id).length
  compare('events', await total(ALL), shown.length)
  for (const [plural, name, ids] of [
    ['categories', 'category', categories],
    ['tags', 'tag', tags],
  ] as const)
    for (const id of ids) {
      const wanted = linked(name, id)
      compare(`count of ${name} ${id}`, (await client.send({ path: `/${plural}/${id}` })).body.count, wanted)
      compare(`events of ${name} ${id}`, await total(`${ALL}&${plural}=${id}`), wanted)
    }
  for (const id of venues) compare(`events at ${id}`, await total(`${ALL}&venue=${id}`), linked('venue', id))
  return found
}

/** What of the file is damaged, not as derived, or otherwise than was acknowledged. */
export async function compareFile(file: string, events: Kept[]): Promise<string[]> {
  const { db, site } = openFile(file)
  const found = [...findDamage(db), ...(await findDifferences(db, site))]
  const rows = db.read.values<[number, string, string]>(
    sql`select id, title, status from posts where kind = 'event' and title <> ${TORN}`,
  )
  const wanted = new Map(events.map((event) => [event.id, event]))
  for (const [id, title, status] of rows) {
    const event = wanted.get(id)
    if (event?.title !== title || event.status !== status)
      found.push(`event ${id} is ${title}, ${status}, not ${event?.title}, ${event?.status}`)
    wanted.delete(id)
  }
  for (const { id } of wanted.values()) found.push(`event ${id} is lost`)
  const [[files]] = db.read.values<[number]>(sql`select count(*) from media`) as [[number]]
  if (files > 0) found.push(`${files} pictures were removed and are still there`)
  db.close()
  return found
}
