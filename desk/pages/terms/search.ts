import { list } from '../../api/client.ts'
import { PLURAL, type TermKind, type TermRecord } from '../../rules/term.ts'
import { languageName } from '../../words/words.ts'
import { SPEAKS_SEVERAL } from '../events/query.ts'

/** Categories or tags whose names have what was typed, except one. */
export const searchTerms = (kind: TermKind, except: number) => async (text: string) => {
  const query = { search: text, per_page: 8, hide_empty: false, exclude: except }
  const { rows } = await list<TermRecord>(`/${PLURAL[kind]}`, PLURAL[kind], query)
  return rows.map(({ id, name, language, count }) => ({
    ...{ id, name },
    detail: [SPEAKS_SEVERAL && languageName(language), count].filter((part) => part !== false).join(', '),
  }))
}
