/** A text that is repeated, perhaps behind a beginning and before an end, to make one of any length. */
export type Pattern = { head?: string; unit: string; tail?: string }

/** Texts that have made readers slow: tags, entities, marks to be sorted, and what makes patterns try again and again. */
export const PATTERNS: Pattern[] = [
  { unit: '<a>' },
  { unit: '<' },
  { unit: '&amp;' },
  { unit: '&' },
  { head: 'a', unit: '\u0301\u0323' },
  { unit: '<b><i>' },
  { unit: '</p>' },
  { head: '<a title=', unit: '"' },
  { unit: '%f0' },
  { unit: '1,' },
  { unit: '1', tail: 'x' },
  { unit: '-' },
  { head: 'free', unit: '\u00a0', tail: 'x' },
  { head: 'x', unit: ' ', tail: 'x' },
  { unit: '\n' },
  { unit: '<!--' },
  { unit: '<script>' },
  { unit: 'x,' },
  { head: 'http://', unit: 'a.', tail: ' ' },
  { head: 'mailto:a@', unit: 'a-', tail: ' ' },
]

/** A text of a pattern, as long as it can be within so many characters. */
export const repeat = ({ head = '', unit, tail = '' }: Pattern, characters: number): string =>
  head + unit.repeat(Math.max(1, Math.floor((characters - head.length - tail.length) / unit.length))) + tail
