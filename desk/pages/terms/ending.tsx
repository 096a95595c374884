import { useState } from 'preact/hooks'
import { list, send } from '../../api/client.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { tell, tellFailure } from '../../parts/notice.tsx'
import { Picker } from '../../parts/picker.tsx'
import type { Ref } from '../../rules/event.ts'
import { PLURAL, type TermKind, type TermRecord } from '../../rules/term.ts'
import { fill, languageName, number, w } from '../../words/words.ts'
import { SPEAKS_SEVERAL } from '../events/query.ts'

type Props = { kind: TermKind; record: TermRecord; etag: string | undefined; ended: () => void }

/** The ends of a category or a tag: another one takes its events, or it is deleted. Both tell first what happens to its events. */
export function Ending({ kind, record, etag, ended }: Props) {
  const [heir, setHeir] = useState<Ref>()
  const [asks, setAsks] = useState<{ merges: boolean; text: string }>()
  const ask = async (merges: boolean) => {
    const { total: below } =
      kind === 'tag'
        ? { total: 0 }
        : await list('/categories', 'categories', { parent: record.id, hide_empty: false, per_page: 1 })
    const names = { name: record.name, other: heir?.name ?? '', count: number(record.count) }
    setAsks({
      merges,
      text: [
        fill(merges ? w.merge_text : w.delete_term_text, names),
        below > 0 && fill(w.below_moves_up, { count: number(below) }),
      ]
        .filter(Boolean)
        .join(' '),
    })
  }
  const end = async () => {
    const merges = asks!.merges
    setAsks(undefined)
    try {
      await send('DELETE', `/${PLURAL[kind]}/${record.id}`, {
        query: merges ? { reassign: heir!.id } : {},
        match: etag,
      })
      tell({ text: merges ? fill(w.merged, { name: record.name, other: heir!.name }) : w.erased })
      ended()
    } catch (failure) {
      tellFailure(failure)
    }
  }
  return (
    <div class="ending">
      <Picker
        label={w.merge_into}
        hint={w.merge_hint}
        value={heir ? [heir] : []}
        search={searchTerms(kind, record.id)}
        onValue={(chosen) => setHeir(chosen.at(-1))}
      />
      <div class="buttons">
        <button type="button" class="plain" disabled={!heir} onClick={() => ask(true).catch(tellFailure)}>
          {w.merge}
        </button>
        <button type="button" class="danger" onClick={() => ask(false).catch(tellFailure)}>
          {w.delete}
        </button>
      </div>
      {asks && (
        <Confirm
          title={asks.merges ? w.merge_title : w.erase_title}
          text={asks.text}
          yes={asks.merges ? w.merge : w.delete}
          onYes={end}
          onNo={() => setAsks(undefined)}
        />
      )}
    </div>
  )
}

/** Categories or tags whose names have what was typed, except one. */
const searchTerms = (kind: TermKind, except: number) => async (text: string) => {
  const query = { search: text, per_page: 8, hide_empty: false, exclude: except }
  const { rows } = await list<TermRecord>(`/${PLURAL[kind]}`, PLURAL[kind], query)
  return rows.map(({ id, name, language, count }) => ({
    ...{ id, name },
    detail: [SPEAKS_SEVERAL && languageName(language), count].filter((part) => part !== false).join(', '),
  }))
}
