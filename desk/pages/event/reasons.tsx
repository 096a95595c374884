import { useState } from 'preact/hooks'
import { type Answer, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { AreaField } from '../../parts/field.tsx'
import { failureText, Notice, tell } from '../../parts/notice.tsx'
import { mayEdit } from '../../parts/shell.tsx'
import { type EventRecord, withoutReason } from '../../rules/event.ts'
import type { Range } from '../../rules/series.ts'
import { fill, languageName, listText, w } from '../../words/words.ts'

/** The translations of an event that share its state and lack its reason, each with its ETag. */
async function lacking(record: EventRecord): Promise<Answer<EventRecord>[]> {
  if (record.event_status === 'scheduled') return []
  const others = await Promise.all(
    Object.values(record.translations).map((id) => send<EventRecord>('GET', `/events/${id}`)),
  )
  const found = withoutReason(
    record,
    others.map(({ body }) => body),
  )
  return others.filter(({ body }) => found.includes(body) && mayEdit(body))
}

type Props = {
  record: EventRecord
  /** The version of the event: after it was saved there is another one. */
  version: string | undefined
  /** The dates of a series for which it was saved. */
  range: Range
}

/** In which languages it is not said yet why an event does not take place as planned, with a field for each: at once after it was saved. */
export function Reasons({ record, version, range }: Props) {
  const [seen, setSeen] = useState(version)
  const [texts, setTexts] = useState<Record<string, string>>({})
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const { id, event_status, event_status_reason: reason } = record
  // the version is known before the record of it
  const key = `reasons ${id} ${version} ${event_status} ${reason}`
  const { value = [], again } = useLoaded(key, () => lacking(record))
  if (value.length === 0) return null
  const languages = listText(value.map(({ body }) => languageName(body.language)))
  const written = value.filter(({ body }) => texts[body.language]?.trim())
  const save = async () => {
    setBusy(true)
    const failed: Record<string, string> = {}
    await Promise.all(
      written.map(async ({ body: { id, language }, etag }) => {
        const sent = {
          ...{ body: { event_status_reason: texts[language] }, match: etag },
          query: { ...(range !== 'this' && { apply_to: range }) },
        }
        await send('PATCH', `/events/${id}`, sent).catch((failure) => {
          failed[language] = failureText(failure)
        })
      }),
    )
    setProblems(failed)
    await again()
    setBusy(false)
    if (Object.keys(failed).length > 0) return
    setSeen(version)
    tell({ text: w.saved })
  }
  return (
    <>
      <Notice>
        <p>{fill(w.reasons_missing, { languages })}</p>
        <button type="button" class="plain" onClick={() => setSeen('')}>
          {w.reasons_write}
        </button>
      </Notice>
      {seen !== version && (
        <Dialog title={fill(w.reasons_missing, { languages })} onClose={() => setSeen(version)}>
          <p class="hint">{fill(w.reasons_until, { language: languageName(record.language) })}</p>
          {reason && (
            <blockquote lang={record.language} dir="auto">
              {reason}
            </blockquote>
          )}
          {value.map(({ body: { language } }) => (
            <AreaField
              key={language}
              label={languageName(language)}
              rows={2}
              lang={language}
              value={texts[language] ?? ''}
              error={problems[language]}
              onValue={(text) => setTexts({ ...texts, [language]: text })}
            />
          ))}
          <div class="buttons">
            <button
              type="button"
              class="primary"
              disabled={busy || written.length === 0}
              onClick={() => void save()}
            >
              {w.save}
            </button>
            <button type="button" class="plain" onClick={() => setSeen(version)}>
              {w.later}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
