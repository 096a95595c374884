import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { tellFailure } from './notice.tsx'

type Props = {
  title: string
  hint?: string
  /** What is shown, the secret last. */
  facts: readonly (readonly [name: string, value: string])[]
  close: () => void
}

/** A secret that is shown once. */
export function ShownOnce({ title, hint, facts, close }: Props) {
  const [copied, setCopied] = useState(false)
  const secret = facts.at(-1)![1]
  return (
    <Dialog title={title} onClose={close}>
      <p>
        {w.shown_once} {hint}
      </p>
      <dl class="secret">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value === secret ? <code>{value}</code> : value}</dd>
          </Fragment>
        ))}
      </dl>
      <div class="buttons">
        {/* a browser offers the clipboard only to pages that nobody on the way can change */}
        {navigator.clipboard && (
          <button
            type="button"
            class="plain"
            onClick={() => navigator.clipboard.writeText(secret).then(() => setCopied(true), tellFailure)}
          >
            {copied ? w.copied : w.copy}
          </button>
        )}
        <button type="button" onClick={close}>
          {w.noted}
        </button>
      </div>
    </Dialog>
  )
}
