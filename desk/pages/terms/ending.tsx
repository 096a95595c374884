import { useState } from 'preact/hooks'
import { list, send } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { tell, tellFailure } from '../../parts/notice.tsx'
import { TermPicker } from '../../parts/terms.tsx'
import type { Ref } from '../../rules/event.ts'
import { PLURAL, type TermKind, type TermRecord } from '../../rules/term.ts'
import { fill, number, w } from '../../words/words.ts'

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
      <TermPicker
        kind={kind}
        label={w.merge_into}
        hint={w.merge_hint}
        value={heir ? [heir] : []}
        languages={[record.language, ...SITE.languages.filter((code) => code !== record.language)]}
        among={(terms) => terms.filter(({ id }) => id !== record.id)}
        single
        onValue={([chosen]) => setHeir(chosen)}
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
