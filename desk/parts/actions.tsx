import type { ComponentChildren } from 'preact'
import { w } from '../words/words.ts'
import { may } from './shell.tsx'

type Props = {
  /** The status that the form has; absent for records that have none. */
  status?: string
  busy: boolean
  publish?: (status: string) => void
  children?: ComponentChildren
}

/** The buttons that save a form, and those beside them. On a phone they stay at the bottom of the window. */
export function Actions({ status, busy, publish, children }: Props) {
  const [goal, word] = may('publish records') ? ['publish', w.publish] : ['pending', w.submit]
  const isHidden = status !== goal && (status === 'draft' || status === 'pending')
  return (
    <div class="buttons actions">
      {isHidden && publish && (
        <button type="button" class="primary" disabled={busy} onClick={() => publish(goal!)}>
          {word}
        </button>
      )}
      <button type="submit" class={isHidden ? 'plain' : 'primary'} disabled={busy}>
        {status === 'draft' ? w.save_draft : w.save}
      </button>
      {children}
    </div>
  )
}
