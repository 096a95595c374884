import type { Db } from '../../kernel/database/db.ts'
import { fold } from '../../kernel/text/text.ts'

/** Events of a venue that are counted: enough to tell what is used much. */
const COUNTED = 10

/** The towns of published venues that have public events, as they are called in a language, those with the most events first. */
const TOWNS = `select coalesce((select own.city from posts as other join venues as own on own.post_id = other.id
    where other.translation_group = posts.translation_group and other.language = ? and other.status = 'publish' and own.city <> ''), venues.city) as town,
  sum((select count(*) from (select 1 from links join listings on listings.event_id = links.event_id
    where links.kind = 'venue' and target_id = posts.id and listings.status = 'publish' and not protected limit ${COUNTED}))) as events
  from posts join venues on post_id = id
  where kind = 'venue' and status = 'publish' and city <> ''
  group by town having events > 0 order by events desc, town limit ?`

/** The towns in which there are events, those with the most first. Spellings that differ in case and accents count as one. */
export const openTowns =
  ({ rows }: Pick<Db, 'rows'>) =>
  (language: string, most: number): string[] => {
    const found = new Map<string, string>()
    for (const [town] of rows<[string, number]>(TOWNS, language, most))
      if (!found.has(fold(town))) found.set(fold(town), town)
    return [...found.values()]
  }
