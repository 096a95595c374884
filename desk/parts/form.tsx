import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Editing } from '../api/editing.ts'
import { Clash } from '../pages/event/clash.tsx'
import { w } from '../words/words.ts'
import { failureText, Notice } from './notice.tsx'

type Props<R extends { id: number }, T extends object> = {
  part: Editing<R, T>
  title: string
  lang?: string
  /** Whether whoever has signed in may change the record. */
  isMine: boolean
  save: () => void
  /** Takes the record that was saved after two versions were brought together. */
  took: (saved: R | undefined) => void
  /** What else is to be known about the record. */
  notice?: string | undefined
  class?: string
  /** A heading of the second level, because the form stands beside a list. */
  beside?: boolean
  children: ComponentChildren
}

/** A form of one record: what is not saved, what is wrong, what somebody else saved, and saving by Ctrl and S. */
export function RecordForm<R extends { id: number }, T extends object>(props: Props<R, T>) {
  const { part, title, lang, isMine, save, took, notice, class: name = '', beside, children } = props
  const { form, errors, failure, isChanged, isRestored, clash } = part
  const place = useRef<HTMLFormElement>(null)
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
  useEffect(() => {
    place.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [failure])
  const known = Object.keys(errors).filter((field) => field in form)
  const Heading = beside ? 'h2' : 'h1'
  return (
    <form
      class={`edit ${name}`}
      ref={place}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <div class="head">
        <Heading lang={lang}>{title}</Heading>
        {isChanged && <span class="badge unsaved">{w.unsaved}</span>}
      </div>
      {!isMine && <Notice>{w.read_only_record}</Notice>}
      {notice && <Notice>{notice}</Notice>}
      {isRestored && (
        <Notice>
          <p>{w.restored_draft}</p>
          <button type="button" class="plain" onClick={part.reset}>
            {w.discard}
          </button>
        </Notice>
      )}
      {failure && (
        <Notice bad>
          <p>{known.length > 0 ? w.see_fields : failureText(failure)}</p>
          {Object.entries(errors)
            .filter(([field]) => !known.includes(field))
            .map(([field, text]) => (
              <p key={field}>
                {field}: {text}
              </p>
            ))}
        </Notice>
      )}
      <fieldset class={beside ? 'stack' : 'columns'} disabled={!isMine}>
        {children}
      </fieldset>
      {clash && (
        <Clash
          clash={clash}
          resolve={async (resolved) => took(await part.resolve(resolved))}
          dismiss={part.dismiss}
        />
      )}
    </form>
  )
}
