import { type Caller, canRead, canReadTerm } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Post } from '../formats/records.ts'

/** IDs by language of the other records of a set of translations. */
export const openTranslations = (db: Db) => ({
  /** The translations of an event, venue or organizer that the caller may read. */
  ofPost: (id: number, group: number, caller: Caller): Record<string, number> =>
    Object.fromEntries(
      db
        .rows<[number, string, Post['status'], number]>(
          'select id, language, status, author_id from posts where translation_group = ? and id <> ? order by language',
          ...[group, id],
        )
        .filter(
          ([id, , status, author_id]) => status !== 'trash' && canRead(caller, { id, status, author_id }),
        )
        .map(([id, language]) => [language, id]),
    ),
  /** The translations of a category or tag that the caller may see. */
  ofTerm: (id: number, group: number, caller: Caller): Record<string, number> =>
    Object.fromEntries(
      db
        .rows<[string, number, 0 | 1]>(
          'select language, id, hidden from terms where translation_group = ? and id <> ? order by language',
          ...[group, id],
        )
        .filter(([, , hidden]) => canReadTerm(caller, { hidden: hidden === 1 }))
        .map(([language, id]) => [language, id]),
    ),
})
