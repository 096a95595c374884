import { useState } from 'preact/hooks'
import { isWhole, readTime } from '../rules/wall.ts'
import { clockText } from '../words/dates.ts'
import { fill, w } from '../words/words.ts'
import { TextField } from './field.tsx'

type Props = { label: string; value: string; onValue: (time: string) => void }

/** A time of day. It is typed as people write it, and shown by the clock of the language: browsers have fields with a clock of their own. */
export function TimeField({ label, value, onValue }: Props) {
  const [typed, setTyped] = useState<string>()
  const [isBad, setBad] = useState(false)
  /** Takes what was typed. What is no time stays where it is. */
  const take = (text: string) => {
    const time = readTime(text)
    setBad(time === undefined)
    setTyped(time === undefined ? text : undefined)
    if (time !== undefined && time !== value) onValue(time)
  }
  return (
    <TextField
      label={label}
      value={typed ?? (value && clockText(value))}
      error={isBad ? fill(w.no_time, { time: clockText('20:00') }) : undefined}
      required
      autocomplete="off"
      onValue={(text) => {
        setTyped(text)
        const time = isWhole(text) ? readTime(text) : undefined
        if (time === undefined) return
        setBad(false)
        if (time !== value) onValue(time)
      }}
      onBlur={() => typed !== undefined && take(typed)}
    />
  )
}
