import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ByHand, type Design, FIGURES, type Pairs, type Run } from '../results.ts'
import { chartsOf, type Figures, SECTIONS } from './sections.ts'

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
/** The files of figures that are kept. */
const keptFigures = () =>
  readdirSync(FIGURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => FIGURES + name)

/** The pages with figures. */
const PAGES = ['performance', 'benchmarks'].map((name) => `${DOCS}${name}.md`)

/** Brings the pages and charts of docs/ up to what these files of figures say; gives the paths written. */
function writeReport(files: string[]): string[] {
  const figures = readFigures(files)
  const left = new Set(Object.keys(SECTIONS))
  for (const page of PAGES) {
    let text = readFileSync(page, 'utf8')
    for (const name of [...left].filter((name) => text.includes(beginOf(name)))) {
      text = replaced(text, name, SECTIONS[name]!(figures))
      left.delete(name)
    }
    writeFileSync(page, text)
  }
  if (left.size > 0) throw new Error(`no page of docs/ has markers for ${[...left].join(', ')}`)
  mkdirSync(`${DOCS}charts`, { recursive: true })
  const charts = Object.entries(chartsOf(figures)).map(([name, svg]) => {
    const path = `${DOCS}charts/${name}.svg`
    writeFileSync(path, svg)
    return path
  })
  return [...PAGES, ...charts]
}

function readFigures(files: string[]): Figures {
  const figures: Figures = { runs: new Map(), pairs: [] }
  for (const file of files) {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Run | Pairs | Design | ByHand
    if ('pairs' in read) figures.pairs.push(read)
    else if ('design' in read) figures.design = read
    else if ('byHand' in read) figures.byHand = read
    else figures.runs.set(read.data.events, read)
  }
  figures.pairs.sort((a, b) => a.events - b.events)
  return figures
}

const beginOf = (name: string) => `<!-- figures: ${name} -->`

/** The text with what stands between the markers of a section replaced. */
function replaced(text: string, name: string, content: string): string {
  const from = text.indexOf(beginOf(name))
  const to = text.indexOf('<!-- end of figures -->', from)
  if (to < 0) throw new Error(`the section ${name} has no end`)
  return `${text.slice(0, from)}${beginOf(name)}\n\n${content}\n\n${text.slice(to)}`
}

// Figures into documentation: npm run bench:report [-- a.json b.json]; without files those of docs/figures
const given = process.argv.slice(2)
for (const path of writeReport(given.length > 0 ? given : keptFigures())) process.stdout.write(`${path}\n`)
