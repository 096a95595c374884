import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Place, readPlace } from '../rules/places.ts'
import type { Failure } from './client.ts'
import { here } from './leaving.ts'

/** The place that the desk shows, as it changes. */
export function usePlace(): Place {
  const hash = here.use()
  return useMemo(() => readPlace(hash), [hash])
}

/** What was read: nothing yet, something, or a failure. `again` reads it once more, and waits until that is there. */
export type Loaded<T> = { value?: T; failure?: Failure; again: () => Promise<void>; loading: boolean }

/** Milliseconds between attempts to read something without a network. */
const PAUSE = 5_000

/** Reads something when a component is shown, and again when its `key` changes or the network is back. An older answer never replaces a newer one. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; failure?: Failure; loading: boolean }>({
    key,
    loading: true,
  })
  const turn = useRef(0)
  const latest = useRef({ key, load })
  latest.current = { key, load }
  const reading = useRef(Promise.resolve())
  const again = useCallback(() => {
    const mine = ++turn.current
    const { key, load } = latest.current
    setState((before) => ({ ...before, loading: true }))
    // who waits for what is overtaken waits for what has overtaken it
    const take = (read: { value?: T; failure?: Failure }) =>
      mine === turn.current ? setState({ key, ...read, loading: false }) : reading.current
    reading.current = load().then(
      (value) => take({ value }),
      (failure: Failure) => take({ failure }),
    )
    return reading.current
  }, [])
  useEffect(() => void again(), [key])
  const { failure } = state
  useEffect(() => {
    if (failure?.status !== 0) return
    // a browser says that there is a network before it reaches anything, or not at all
    const timer = setTimeout(again, PAUSE)
    addEventListener('online', again)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', again)
    }
  }, [failure, again])
  // what was read for another key is out of date before the effect asks anew
  return { ...state, loading: state.loading || state.key !== key, again }
}

/** A value as it was a moment ago: what is typed, once nobody types on. */
export function useSettled<T>(value: T, pause = 300): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Whether the window is as a media query says, as it changes. */
export function useMatches(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const follow = () => setMatches(list.matches)
    list.addEventListener('change', follow)
    follow() // it may have changed between the first drawing and now
    return () => list.removeEventListener('change', follow)
  }, [query])
  return matches
}
