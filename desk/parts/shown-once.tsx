import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { tellFailure } from './notice.tsx'

/** Copies a text. A browser offers the clipboard only to pages that nobody on the way can change. */
function Copy({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  if (!navigator.clipboard) return null
  return (
    <button
      type="button"
      class="plain"
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true), tellFailure)}
    >
      {copied ? w.copied : label}
    </button>
  )
}

type Props = {
  title: string
  hint?: string
  /** What is shown, the secret last. */
  facts: readonly (readonly [name: string, value: string])[]
  /** A line for a shell that uses it, and what the line does. */
  example?: { text: string; line: string }
  close: () => void
}

/** A secret that is shown once. */
export function ShownOnce({ title, hint, facts, example, close }: Props) {
  const secret = facts.at(-1)![1]
  return (
    <Dialog title={title} onClose={close} wide={example !== undefined}>
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
      <Copy text={secret} label={w.copy} />
      {example && (
        <div class="example">
          <p>{example.text}</p>
          <pre>{example.line}</pre>
          <Copy text={example.line} label={w.copy_line} />
        </div>
      )}
      <div class="buttons">
        <button type="button" onClick={close}>
          {w.noted}
        </button>
      </div>
    </Dialog>
  )
}
