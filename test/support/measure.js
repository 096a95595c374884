// Imported ahead of a program that `measured.ts` has written: measures what of it runs, and says so as if it had run from the sources.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const HERE = new URL('.', import.meta.url).href
const SOURCES = new URL('../../', import.meta.url).href
const TOLD = new URL('../coverage/', import.meta.url)

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

function tell() {
  session.post('Profiler.takePreciseCoverage', (_error, taken) => {
    const own = taken.result.filter(({ url }) => /^(drizzle|schemas|src)\//.test(url.replace(HERE, '')))
    const result = own.map(({ url, ...more }) => ({
      ...more,
      url: url.replace(HERE, SOURCES).replace(/js$/, 'ts'),
    }))
    mkdirSync(TOLD, { recursive: true })
    writeFileSync(new URL(`${randomUUID()}.json`, TOLD), JSON.stringify({ result }))
  })
}

// after all that the program does at its end
const { emit } = process
process.emit = (name, ...values) => {
  const heard = emit.call(process, name, ...values)
  if (name === 'exit') tell()
  return heard
}
