import type { Result, Run } from './results.ts'
import { CONNECTIONS } from './scenarios/world.ts'

/** A Markdown table; columns after the first are numbers, to the right. */
export const table = (head: string[], rows: string[][]) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

export const whole = (value: number) => Math.round(value).toLocaleString('en')
/** Three digits that count. */
export const short = (value: number) => (value >= 100 ? whole(value) : value.toPrecision(value < 1 ? 2 : 3))

export const HEAD = ['scenario', 'a second', 'CPU µs', 'p50 ms', 'p99 ms', 'baseline', 'its CPU µs', 'ratio']

/** A result as cells below HEAD. */
export const cellsOf = (result: Result): string[] => [
  result.scenario +
    (result.group === 'reads' && result.connections < CONNECTIONS
      ? `, connections: ${result.connections}`
      : '') +
    (result.share === undefined ? '' : ` (finds ${percent(result.share)})`),
  whole(result.rate),
  short(result.cpu),
  short(result.p50),
  short(result.p99),
  `${result.against}${result.by === 'rate' ? `, ${whole(result.baseline.rate)} a second` : ''}`,
  short(result.baseline.cpu),
  `${result.ratio.toFixed(2)}${result.possible === undefined ? '' : ` of at most ${result.possible.toFixed(2)}`}${result.failures > 0 ? `, ${result.failures} failed` : ''}`,
]

const percent = (share: number) => `${Number((share * 100).toPrecision(2))} %`
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

/** How long a start took, and memory, in a sentence. */
export const startOf = ({ start, memory }: Run) =>
  start && memory
    ? `First list ${whole(start.milliseconds)} ms after spawning (Node.js alone: ${whole(start.bare)} ms), with ${megabytes(start.memory)} of memory; ${megabytes(memory)} after all reads.`
    : ''
