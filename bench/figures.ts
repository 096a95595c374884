/** A Markdown table; columns after the first are numbers, to the right. */
export const table = (head: string[], rows: string[][]) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

export const whole = (value: number) => Math.round(value).toLocaleString('en')
/** Three digits that count. */
export const short = (value: number) => (value >= 100 ? whole(value) : value.toPrecision(value < 1 ? 2 : 3))
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

/** The one of which as many others have a lower figure as a higher one. */
export const middleBy = <T>(all: readonly T[], figureOf: (one: T) => number): T =>
  all.toSorted((one, other) => figureOf(one) - figureOf(other))[Math.floor(all.length / 2)]!
export const median = (values: readonly number[]) => middleBy(values, (value) => value)

/** What a part of these values, from 0 to 1, does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const at = Math.floor(values.length * part)
  return values.toSorted((one, other) => one - other)[Math.min(at, values.length - 1)]!
}

/** What each of some ways gives, measured in turn, round by round, so that what else the machine does is the same for all. Who comes first changes. */
export async function inTurn<T>(
  rounds: number,
  ...ways: ((round: number) => T | Promise<T>)[]
): Promise<T[][]> {
  const found = ways.map((): T[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 ? [...ways.keys()] : [...ways.keys()].reverse()
    for (const at of order) found[at]!.push(await ways[at]!(round))
  }
  return found
}
