import { useState } from 'preact/hooks'
import { encode } from 'uqr'
import { type Failure, read, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, tell, tellFailure } from '../../parts/notice.tsx'
import { instantText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import { Passkeys } from './passkeys.tsx'
import { RecoveryCodes } from './recovery.tsx'

type State = { active: boolean; created_utc?: string; last_used_utc?: string; recovery_codes: number }
type Prepared = { secret: string; uri: string; ticket: string }

/** The second factor and the passkeys of whoever has signed in. */
export const Factors = ({ user }: { user: number }) => (
  <>
    <SecondFactor user={user} />
    <Passkeys user={user} />
  </>
)

/** A new secret as a picture and as text, and the code that confirms it. */
function SetUp({ user, prepared, close }: { user: number; prepared: Prepared; close: () => void }) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [codes, setCodes] = useState<string[]>()
  const { secret, uri, ticket } = prepared
  const confirm = async (event: Event) => {
    event.preventDefault()
    try {
      const { body } = await send<{ codes: string[] }>('POST', `/users/${user}/totp/confirm`, {
        body: { ticket, code },
      })
      setCodes(body.codes)
    } catch (error) {
      setProblem(Object.values((error as Failure).params ?? {})[0] ?? failureText(error))
    }
  }
  if (codes) return <RecoveryCodes codes={codes} close={close} />
  return (
    <Dialog title={w.factor} onClose={close}>
      <p>{w.factor_scan}</p>
      <QrCode text={uri} label={w.factor_picture} />
      <dl class="secret">
        <dt>{w.factor_secret}</dt>
        <dd>
          <code>{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
        </dd>
      </dl>
      <form onSubmit={confirm}>
        <TextField
          label={w.factor_code}
          name="code"
          autocomplete="one-time-code"
          value={code}
          error={problem}
          required
          onValue={setCode}
        />
        <button type="submit">{w.factor_ready}</button>
      </form>
    </Dialog>
  )
}

/** The second factor of a user: what it is now, setting it up, new recovery codes, removing it. Of another user, removing it. */
export function SecondFactor({ user, isOther = false }: { user: number; isOther?: boolean }) {
  const path = `/users/${user}/totp`
  const { value, failure, again } = useLoaded(path, () => read<State>(path))
  const [prepared, setPrepared] = useState<Prepared>()
  const [codes, setCodes] = useState<string[]>()
  const [asks, setAsks] = useState(false)
  const prepare = () => send<Prepared>('POST', path).then(({ body }) => setPrepared(body), tellFailure)
  const renew = () =>
    send<{ codes: string[] }>('POST', `/users/${user}/recovery-codes`).then(
      ({ body }) => setCodes(body.codes),
      tellFailure,
    )
  const remove = () => {
    setAsks(false)
    send('DELETE', path).then(() => {
      tell({ text: w.factor_removed })
      again()
    }, tellFailure)
  }
  const close = () => {
    setPrepared(undefined)
    setCodes(undefined)
    again()
  }
  if (isOther && !value?.active) return null
  return (
    <section class="card" aria-label={w.factor}>
      <h2>{w.factor}</h2>
      {!isOther && <p class="hint">{w.factor_about}</p>}
      {failure && <Failed failure={failure} again={again} />}
      {value && <p>{stateText(value)}</p>}
      {value && (
        <div class="buttons">
          {!isOther && (
            <button type="button" class="plain" onClick={prepare}>
              {value.active ? w.factor_anew : w.factor_set_up}
            </button>
          )}
          {!isOther && value.active && (
            <button type="button" class="plain" onClick={renew}>
              {w.recovery_new}
            </button>
          )}
          {value.active && (
            <button type="button" class="danger" onClick={() => setAsks(true)}>
              {w.factor_remove}
            </button>
          )}
        </div>
      )}
      {prepared && <SetUp user={user} prepared={prepared} close={close} />}
      {codes && <RecoveryCodes codes={codes} close={close} />}
      {asks && (
        <Confirm
          title={w.factor_remove_title}
          text={isOther ? `${w.factor_of_other} ${w.factor_remove_text}` : w.factor_remove_text}
          yes={w.factor_remove}
          onYes={remove}
          onNo={() => setAsks(false)}
        />
      )}
    </section>
  )
}

const stateText = ({ active, created_utc, last_used_utc, recovery_codes }: State): string =>
  active
    ? [
        fill(w.factor_on, { time: instantText(created_utc!) }),
        ...(last_used_utc ? [fill(w.factor_used, { time: instantText(last_used_utc) })] : []),
        fill(w.factor_left, { count: number(recovery_codes) }),
      ].join(' ')
    : w.factor_off

/** The white around the picture, in its squares, which readers need. */
const BORDER = 4

/** A text as a picture that programs on phones read. It is drawn here, so that nobody else sees the text. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg role="img" aria-label={label} width="232" height="232" viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" shape-rendering="crispEdges" />
    </svg>
  )
}
