const TYPED = /^(\d{1,2}?)(?:\s*[:.h]\s*)?(\d{2})?\s*h?\s*(?:([ap])\.?\s*m\.?)?$/i
const pad = (number: number) => String(number).padStart(2, '0')

/** A time of day as people type it (`20:00`, `8.30 pm`, `20h`, `2030`) as `20:00`; undefined if it is none. */
export function readTime(text: string): string | undefined {
  const [, typed, minutes = '0', half] = TYPED.exec(text.trim()) ?? []
  if (typed === undefined || Number(minutes) > 59) return undefined
  const hours = Number(typed)
  if (half === undefined) return hours > 23 ? undefined : `${pad(hours)}:${pad(Number(minutes))}`
  if (hours < 1 || hours > 12) return undefined
  return `${pad((hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0))}:${pad(Number(minutes))}`
}

/** Whether somebody who types a time has come to its end: there are minutes, after a sign. */
export const isWhole = (text: string): boolean => /\d[:.]\d\d(\s*[ap]\.?\s*m\.?)?\s*$/i.test(text)
