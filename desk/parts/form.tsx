import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Editing } from '../api/editing.ts'
import { Clash } from '../pages/event/clash.tsx'
import { type Words, w } from '../words/words.ts'
import { failureText, Notice, tellFailure, useOutcome } from './notice.tsx'

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
  notices?: (string | false | undefined)[]
  /** What stands beside the title: marks of the record, or the way to another one. */
  head?: ComponentChildren
  /** The status and the buttons of the record: with them the head stays in sight. */
  acts?: ComponentChildren
  class?: string
  /** Fields and a narrow column, two equal columns, or one beside a list, with a heading of the second level. */
  layout?: 'columns' | 'pair' | 'stack'
  children: ComponentChildren
}

/** A form of one record: what is not saved, what is wrong, what somebody else saved, and saving by Ctrl and S. */
export function RecordForm<R extends { id: number }, T extends object>(props: Props<R, T>) {
  const {
    part,
    title,
    lang,
    isMine,
    save,
    took,
    notices = [],
    head,
    acts,
    class: name = '',
    children,
  } = props
  const { layout = 'columns' } = props
  const { form, errors, failure, busy, isChanged, isRestored, clash } = part
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
  useOutcome(busy)
  // what went wrong is seen from wherever the form was: at its field, at the top of the form, or, if it passes, at the bottom of the window
  useEffect(() => {
    if (!failure) return
    const marked = place.current!.querySelector<HTMLElement>('[aria-invalid=true]')
    if (failure.status === 0) tellFailure(failure, { text: w.try_again, run: () => latest.current() })
    else if (marked) marked.focus()
    else place.current!.querySelector('.notice.bad')!.scrollIntoView({ block: 'center' })
  }, [failure])
  const known = Object.keys(errors).filter((field) => field in form)
  const Heading = layout === 'stack' ? 'h2' : 'h1'
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
      <div class={acts ? 'head stays' : 'head'}>
        <Heading lang={lang} dir="auto">
          {title}
        </Heading>
        <div class="badges">
          {head}
          {isChanged && <span class="badge unsaved">{w.unsaved}</span>}
        </div>
        {acts && (
          <fieldset class="acts" disabled={!isMine}>
            {acts}
          </fieldset>
        )}
      </div>
      {!isMine && <Notice>{w.read_only_record}</Notice>}
      {notices.map((text) => text && <Notice key={text}>{text}</Notice>)}
      {isRestored && (
        <Notice>
          <p>{w.restored_draft}</p>
          <button type="button" class="plain" onClick={part.reset}>
            {w.discard}
          </button>
        </Notice>
      )}
      {failure && failure.status !== 0 && (
        <Notice bad>
          <p>{known.length > 0 ? w.see_fields : failureText(failure)}</p>
          {Object.entries(errors)
            .filter(([field]) => !known.includes(field))
            .map(([field, text]) => (
              <p key={field}>
                {w[field as keyof Words] ?? field}: {text}
              </p>
            ))}
        </Notice>
      )}
      <fieldset class={layout} disabled={!isMine}>
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
