import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Design, FIGURES, type Pairs, type Run } from '../results.ts'
import { chartsOf, type Figures, SECTIONS } from './sections.ts'

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url))
/** The files of figures that are kept. */
const keptFigures = () =>
  readdirSync(FIGURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => FIGURES + name)

/** Brings docs/performance.md and its charts up to what these files of figures say; gives the paths written. */
function writeReport(files: string[]): string[] {
  const figures = readFigures(files)
  const document = `${DOCS}performance.md`
  let text = readFileSync(document, 'utf8')
  for (const [name, section] of Object.entries(SECTIONS)) text = replaced(text, name, section(figures))
  writeFileSync(document, text)
  mkdirSync(`${DOCS}charts`, { recursive: true })
  const charts = Object.entries(chartsOf(figures)).map(([name, svg]) => {
    const path = `${DOCS}charts/${name}.svg`
    writeFileSync(path, svg)
    return path
  })
  return [document, ...charts]
}

function readFigures(files: string[]): Figures {
  const figures: Figures = { runs: new Map(), pairs: [] }
  for (const file of files) {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Run | Pairs | Design
    if ('pairs' in read) figures.pairs.push(read)
    else if ('design' in read) figures.design = read
    else figures.runs.set(read.data.events, read)
  }
  figures.pairs.sort((a, b) => a.events - b.events)
  return figures
}

/** The text with what stands between the markers of a section replaced. */
function replaced(text: string, name: string, content: string): string {
  const begin = `<!-- figures: ${name} -->`
  const end = '<!-- end of figures -->'
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  if (from < 0 || to < 0) throw new Error(`docs/performance.md has no markers for ${name}`)
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`
}

// Figures into documentation: npm run bench:report [-- a.json b.json]; without files those of docs/figures
const given = process.argv.slice(2)
for (const path of writeReport(given.length > 0 ? given : keptFigures())) process.stdout.write(`${path}\n`)
