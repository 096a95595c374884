import { keptFigures, writeReport } from './write.ts'

// Figures into documentation: npm run bench:report [-- a.json b.json]; without files those of docs/figures
const given = process.argv.slice(2)
for (const path of writeReport(given.length > 0 ? given : keptFigures())) process.stdout.write(`${path}\n`)
