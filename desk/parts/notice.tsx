import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Failure } from '../api/client.ts'
import { signal } from '../api/signal.ts'
import { fill, language, w } from '../words/words.ts'

/** What just happened, told for a while at the bottom of the window, with what can be done about it. */
export type Toast = { text: string; bad?: boolean; action?: { text: string; run: () => void } }

const toast = signal<Toast | undefined>(undefined)
let timer: ReturnType<typeof setTimeout>

/** Tells what just happened. */
export function tell(next: Toast) {
  clearTimeout(timer)
  toast.set(next)
  timer = setTimeout(() => toast.set(undefined), next.action || next.bad ? 20_000 : 6_000)
}

/** Takes away what is told of a page that is left: what went wrong there. What went well, or can be taken back, is told until its time is over. */
export function clearPassing() {
  if (toast.get()?.bad) toast.set(undefined)
}

/** Takes away what is told, and with it what could be taken back. */
export const clearTold = () => toast.set(undefined)

/** Takes away how it went the last time, when something is saved again: it is no answer to that. What can be taken back stays. */
export function clearOutcome() {
  const current = toast.get()
  if (current?.bad || !current?.action) clearTold()
}
/** Does so when a form begins to be saved. */
export const useOutcome = (busy: boolean) =>
  useLayoutEffect(() => {
    if (busy) clearOutcome()
  }, [busy])

/** Where that is told. It is always there, so that programs that read the screen notice it. */
export function Toasts() {
  const current = toast.use()
  return (
    <div class="toasts" role="status">
      {current && (
        <p class={current.bad ? 'toast bad' : 'toast'}>
          <span>{current.text}</span>
          {current.action && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                toast.set(undefined)
                current.action!.run()
              }}
            >
              {current.action.text}
            </button>
          )}
          <button type="button" class="quiet icon" aria-label={w.close} onClick={() => toast.set(undefined)}>
            ×
          </button>
        </p>
      )}
    </div>
  )
}

/** A failure in the words of the desk, where the desk knows it better than the API. */
export function failureText(failure: unknown): string {
  if (!(failure instanceof Failure)) return String(failure)
  if (failure.status === 0) return w.offline
  if (failure.status === 401) return w.not_proven
  if (failure.status === 412) return w.conflict
  // the API says in English for what a right is missing
  if (failure.status === 403 && failure.code === 'rest_forbidden')
    return language.get() === 'en' ? `${w.not_allowed} ${failure.message}` : failure.message
  if (failure.status === 429) return fill(w.too_many, { seconds: failure.retryAfter ?? 60 })
  return failure.message
}

/** Tells of a failure. */
export const tellFailure = (failure: unknown, action?: Toast['action']) =>
  tell({ text: failureText(failure), bad: true, ...(action && { action }) })

/** A message that stands where it belongs. */
export const Notice = ({ children, bad = false }: { children: ComponentChildren; bad?: boolean }) => (
  <div class={bad ? 'notice bad' : 'notice'} role={bad ? 'alert' : 'status'}>
    {children}
  </div>
)

/** A failure to read something, with another attempt. */
export const Failed = ({ failure, again }: { failure: Error; again: () => void }) => (
  <Notice bad>
    <p>{failureText(failure)}</p>
    <button type="button" onClick={again}>
      {w.try_again}
    </button>
  </Notice>
)
