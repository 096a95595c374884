import { listAll, send } from '../../api/client.ts'
import { session, signOut } from '../../api/session.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed, tell, tellFailure } from '../../parts/notice.tsx'
import { instantText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'
import { Endable, type Ending, type Times, timesOf } from './endable.tsx'

/** A session, with the name of what opened it. */
type Kind = 'application_password' | 'password' | 'passkey' | 'openid'
type Opened = { id: number; name: string; kind: Kind; current: boolean } & Times

const ending = ({ name, created_utc, current }: Opened): Ending => ({
  label: fill(w.end_one, { name, time: instantText(created_utc) }),
  title: fill(w.end_title, { name }),
  text: current ? w.end_own_text : w.end_text,
  yes: w.end,
  ...(!current && { done: w.session_over }),
})

/** The sessions of a user, which can be ended. They are read again when `turn` changes, and when that of this tab was renewed. */
export function Sessions({ user, turn }: { user: number; turn: string }) {
  const path = `/users/${user}/sessions`
  const renewed = session.use()?.expires_utc
  const { value, failure, again } = useLoaded(`${path} ${turn} ${renewed}`, async () =>
    (await listAll<Opened>(path, 'sessions')).map((row) => ({
      ...row,
      name: row.name || w[`opener_${row.kind}`],
    })),
  )
  const others = value?.some(({ current }) => current) ? value.filter(({ current }) => !current) : []
  const endOthers = async () => {
    try {
      for (const { id } of others) await send('DELETE', `${path}/${id}`)
      tell({ text: w.others_over })
    } catch (failure) {
      tellFailure(failure)
    }
    again()
  }
  return (
    <section class="card" aria-label={w.sessions}>
      <h2>{w.sessions}</h2>
      <p class="hint">{w.sessions_hint}</p>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <Endable
          title={w.sessions}
          rows={value}
          facts={(row) => timesOf(row, w.session_opened_at)}
          badge={({ current }) => current && <span class="badge">{w.this_session}</span>}
          ending={ending}
          end={async ({ id, current }) => {
            if (current) return signOut()
            await send('DELETE', `${path}/${id}`)
            again()
          }}
        />
      )}
      {others.length > 0 && (
        <div class="buttons">
          <button type="button" class="danger" onClick={endOthers}>
            {w.end_others}
          </button>
        </div>
      )}
    </section>
  )
}
