import { short } from '../figures.ts'

/** Colours of lines and dots on light and dark ground: [light, dark]. */
const COLOURS = [
  ['#0969da', '#58a6ff'],
  ['#bc4c00', '#f0883e'],
  ['#1a7f37', '#56d364'],
  ['#8250df', '#bc8cff'],
  ['#bf3989', '#f778ba'],
  ['#7d4e00', '#d4a72c'],
] as const

// each colour is spelt out: not every viewer knows CSS variables
const colours = (at: 0 | 1) =>
  COLOURS.map(
    (pair, n) => `.line.c${n} { stroke: ${pair[at]} } .dot.c${n}, .named.c${n} { fill: ${pair[at]} }`,
  ).join('\n')
const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px }
.small { font-size: 12px; fill: #59636e }
.ground { fill: #ffffff } .grid { stroke: #d1d9e0 } .link { stroke: #818b98 }
.line { stroke-width: 2; fill: none }
.ring { fill: none; stroke: #59636e; stroke-width: 1.5 }
${colours(0)}
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .ground { fill: #0d1117 } .small { fill: #9198a1 } .grid { stroke: #3d444d } .link { stroke: #656c76 } .ring { stroke: #9198a1 }
${colours(1)}
}
</style>`

type Attributes = Record<string, string | number>

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** An element without content. */
const mark = (name: string, attributes: Attributes) =>
  `<${name}${Object.entries(attributes)
    .map(
      ([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`,
    )
    .join('')}/>`

/** A text at a place. */
const label = (text: string, attributes: Attributes) =>
  mark('text', attributes).replace('/>', `>${escaped(text)}</text>`)

/** A drawing; `described` is what is read to those who can not see it. */
const drawing = (width: number, height: number, described: string, marks: string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(described)}">
${STYLE}
${mark('rect', { width, height, rx: 6, class: 'ground' })}
${marks.join('\n')}
</svg>
`

/** Where values lie on an axis by powers of ten: positions, and the ticks between. */
export function logarithmic(values: number[], from: number, to: number) {
  const exponents = values.filter((value) => value > 0).map(Math.log10)
  const least = Math.floor(Math.min(...exponents))
  const most = Math.max(least + 1, Math.ceil(Math.max(...exponents)))
  const at = (value: number) => from + ((Math.log10(value) - least) / (most - least)) * (to - from)
  return { at, ticks: Array.from({ length: most - least + 1 }, (_, n) => 10 ** (least + n)) }
}

/** Where values lie on an axis that begins at zero. */
export function linear(values: number[], from: number, to: number) {
  const largest = Math.max(...values)
  const power = 10 ** Math.floor(Math.log10(largest))
  const step = [0.2, 0.5, 1, 2].map((part) => part * power).find((step) => largest / step <= 6)!
  const most = Math.ceil(largest / step) * step
  const ticks = Array.from({ length: Math.round(most / step) + 1 }, (_, n) => n * step)
  return { at: (value: number) => from + (value / most) * (to - from), ticks }
}

const WIDTH = 780
const LEFT = 270
const RIGHT = WIDTH - 100
const TOP = 74
const ROW = 24

export type Beside = { label: string; value: number; baseline: number }

/** Values as dots beside their baselines as rings, one a row. */
export function besideChart(
  title: string,
  axis: { unit: string; scale: typeof linear },
  [value, baseline]: [value: string, baseline: string],
  rows: Beside[],
): string {
  const all = rows.flatMap((row) => [row.value, row.baseline])
  const { at, ticks } = axis.scale(all, LEFT, RIGHT)
  const bottom = TOP + rows.length * ROW
  const marks = [
    label(title, { x: 12, y: 24, class: 'title' }),
    mark('circle', { cx: 18, cy: 46, r: 5, class: 'dot c0' }),
    label(value, { x: 30, y: 50 }),
    mark('circle', { cx: 218, cy: 46, r: 5, class: 'ring' }),
    label(baseline, { x: 230, y: 50 }),
    label(value, { x: WIDTH - 16, y: TOP - 8, class: 'small', 'text-anchor': 'end' }),
    ...ticks.flatMap((tick) => [
      mark('line', { x1: at(tick), x2: at(tick), y1: TOP, y2: bottom, class: 'grid' }),
      label(tick.toLocaleString('en'), {
        ...{ x: at(tick), y: bottom + 18, class: 'small', 'text-anchor': 'middle' },
      }),
    ]),
    label(axis.unit, { x: (LEFT + RIGHT) / 2, y: bottom + 38, class: 'small', 'text-anchor': 'middle' }),
    ...rows.flatMap((row, index) => {
      const y = TOP + index * ROW + ROW / 2
      const [own, other] = [at(row.value), at(row.baseline)]
      return [
        label(row.label, { x: LEFT - 12, y: y + 4, 'text-anchor': 'end' }),
        mark('line', { x1: own, x2: other, y1: y, y2: y, class: 'link' }),
        mark('circle', { cx: other, cy: y, r: 5, class: 'ring' }),
        mark('circle', { cx: own, cy: y, r: 5, class: 'dot c0' }),
        label(short(row.value), { x: WIDTH - 16, y: y + 4, 'text-anchor': 'end' }),
      ]
    }),
  ]
  return drawing(WIDTH, bottom + 50, `${title}, ${axis.unit}`, marks)
}

export type Series = { name: string; values: [x: number, y: number][] }

const FROM = 84
const TO = 500
const HEIGHT = 360

/** Lines over sizes, both by powers of ten, each named where it ends. */
export function sizesChart(title: string, [xs, ys]: [string, string], series: Series[]): string {
  const x = logarithmic(
    series.flatMap(({ values }) => values.map(([size]) => size)),
    FROM,
    TO,
  )
  const y = logarithmic(
    series.flatMap(({ values }) => values.map(([, value]) => value)),
    HEIGHT - 60,
    50,
  )
  const names = spread(series.map(({ values }) => y.at(values.at(-1)![1])))
  const marks = [
    label(title, { x: 12, y: 24, class: 'title' }),
    ...y.ticks.flatMap((tick) => [
      mark('line', { x1: FROM, x2: TO, y1: y.at(tick), y2: y.at(tick), class: 'grid' }),
      label(tick.toLocaleString('en'), {
        ...{ x: FROM - 8, y: y.at(tick) + 4, class: 'small', 'text-anchor': 'end' },
      }),
    ]),
    ...x.ticks.map((tick) =>
      label(tick.toLocaleString('en'), {
        ...{ x: x.at(tick), y: HEIGHT - 40, class: 'small', 'text-anchor': 'middle' },
      }),
    ),
    label(xs, { x: (FROM + TO) / 2, y: HEIGHT - 16, class: 'small', 'text-anchor': 'middle' }),
    label(ys, {
      ...{ x: 0, y: 0, class: 'small', 'text-anchor': 'middle' },
      transform: `translate(22 ${HEIGHT / 2}) rotate(-90)`,
    }),
    ...series.flatMap(({ name, values }, n) => {
      const points = values.map(([size, value]) => [x.at(size), y.at(value)] as const)
      const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ')
      return [
        mark('polyline', { points: path, class: `line c${n}` }),
        ...points.map(([cx, cy]) => mark('circle', { cx, cy, r: 3.5, class: `dot c${n}` })),
        label(name, { x: points.at(-1)![0] + 12, y: names[n]! + 4, class: `named c${n}` }),
      ]
    }),
  ]
  return drawing(WIDTH, HEIGHT, `${title}, ${ys} by ${xs}`, marks)
}

/** Moves places apart that are too close for a line of text each, keeping their order. */
function spread(places: number[]): number[] {
  const order = places.map((place, n) => ({ place, n })).sort((a, b) => a.place - b.place)
  const moved: number[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const { place, n } of order) {
    last = Math.max(place, last + 17)
    moved[n] = last
  }
  return moved
}
