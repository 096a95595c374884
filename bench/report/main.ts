import { readdirSync } from 'node:fs'
import { FIGURES, writeReport } from './write.ts'

// Figures into documentation: npm run bench:report [-- a.json b.json]; without files those of docs/figures
const given = process.argv.slice(2)
const kept = () =>
  readdirSync(FIGURES)
    .filter((name) => name.endsWith('.json'))
    .map((name) => FIGURES + name)
for (const path of writeReport(given.length > 0 ? given : kept())) process.stdout.write(`${path}\n`)
