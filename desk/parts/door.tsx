import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { SITE } from '../api/site.ts'
import { w } from '../words/words.ts'
import { Speak } from './shell.tsx'

/** Gives the focus to the first field of a form when it appears. */
export function useFirstField() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('input:not([hidden])')?.focus(), [])
  return form
}

type Props = { title: string; children: ComponentChildren }
/** A page for whoever has not signed in. */
export const Door = ({ title, children }: Props) => (
  <main class="signin">
    <p class="site">{SITE.name}</p>
    <h1>{title}</h1>
    {children}
    <footer>
      {SITE.home && <a href={SITE.home}>{w.to_calendar}</a>}
      <Speak />
    </footer>
  </main>
)
