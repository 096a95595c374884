import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundled, exactly } from './compiled.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const KEPT = join(ROOT, '.tap')
const CODE = ['drizzle', 'schemas', 'src']

/** The lengths of the lines of a text, as the report of coverage wants them. */
const lengthsOf = (text: string) => text.split(/[\n\u2028\u2029]/).map((line) => line.length)

/** The map of a compiled text to the file that it is from. */
function mapOf(text: string, url: string) {
  const [, encoded] = text.split('//# sourceMappingURL=data:application/json;base64,')
  const map = JSON.parse(Buffer.from(encoded!, 'base64').toString())
  return { lineLengths: lengthsOf(text), data: { ...map, sources: [url] } }
}

/**
 * Writes the program as files that Node runs without any hook, and returns the folder. Each file is as long as what tests compile
 * of the same source, letter by letter, so that what `measure.js` counts in other processes adds up with what tests cover themselves.
 */
export function writeMeasured(): string {
  const folder = join(KEPT, `measured-${process.pid}`)
  const maps: Record<string, unknown> = {}
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true }))

  function write(path: string) {
    const text = exactly(join(ROOT, path))
    const { href } = pathToFileURL(join(ROOT, path))
    maps[href] = mapOf(text, href)
    writeFileSync(
      join(folder, path.replace(/ts$/, 'js')),
      text.replaceAll(/(['"]\.\.?\/[^'"\n]*\.)ts(?=['"])/g, '$1js'),
    )
  }

  /** What is no code is where it is for the sources. */
  function copy(path: string) {
    mkdirSync(join(folder, path))
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) copy(inside)
      else if (entry.name.endsWith('.ts')) write(inside)
      else symlinkSync(join(ROOT, inside), join(folder, inside))
    }
  }

  for (const name of CODE) copy(name)
  for (const name of ['dist', 'package.json', 'words']) symlinkSync(join(ROOT, name), join(folder, name))
  copyFileSync(join(ROOT, 'test/support/measure.js'), join(folder, 'measure.js'))
  symlinkSync(bundled(), join(folder, 'node_modules'))
  mkdirSync(join(KEPT, 'coverage'), { recursive: true })
  writeFileSync(
    join(KEPT, 'coverage', `maps-${process.pid}.json`),
    JSON.stringify({ result: [], 'source-map-cache': maps }),
  )
  return folder
}
