import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { w } from '../words/words.ts'

type Props = {
  title: string
  onClose?: () => void
  children: ComponentChildren
  wide?: boolean
  sheet?: boolean
}

/** A window over the page, which keeps the focus. Without `onClose` it stays until what it asks for is done. A sheet comes from below, and goes when one presses beside it. */
export function Dialog({ title, onClose, children, wide, sheet }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current!
    const before = document.activeElement as HTMLElement | null
    shown.showModal()
    // what it asks for comes before the button that closes it
    if (!sheet) shown.querySelector<HTMLElement>('input:not([hidden]), select, textarea')?.focus()
    return () => {
      shown.close()
      before?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : sheet ? 'sheet' : ''}
      aria-labelledby={id}
      onClick={({ target }) => sheet && target === dialog.current && onClose?.()}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" class="quiet icon" aria-label={w.close} onClick={onClose}>
            ×
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}

type Question = { title: string; text: string; yes: string; onYes: () => void; onNo: () => void }

/** Asks before something that can not be undone. */
export const Confirm = ({ title, text, yes, onYes, onNo }: Question) => (
  <Dialog title={title} onClose={onNo}>
    <p>{text}</p>
    <div class="buttons">
      <button type="button" class="danger" onClick={onYes}>
        {yes}
      </button>
      <button type="button" class="plain" onClick={onNo}>
        {w.cancel}
      </button>
    </div>
  </Dialog>
)
