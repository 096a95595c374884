/** Colours of lines and dots on light and dark ground: [light, dark]. */
export const COLOURS = [
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

export type Attributes = Record<string, string | number>

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** An element without content. */
export const mark = (name: string, attributes: Attributes) =>
  `<${name}${Object.entries(attributes)
    .map(
      ([key, value]) => ` ${key}="${typeof value === 'number' ? Number(value.toFixed(1)) : escaped(value)}"`,
    )
    .join('')}/>`

/** A text at a place. */
export const label = (text: string, attributes: Attributes) =>
  mark('text', attributes).replace('/>', `>${escaped(text)}</text>`)

/** A drawing; `described` is what is read to those who can not see it. */
export const drawing = (width: number, height: number, described: string, marks: string[]) =>
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
