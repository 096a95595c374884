import { readFileSync } from 'node:fs'
import { fromRoot } from '../../package.ts'

const texts = new Map<string, string>()

/** The text of a file that is a part of the program, as a named function changes it. A process reads and changes each once. */
export function shipped(file: URL, change: (text: string) => string = asItIs): string {
  const key = `${change.name} ${file}`
  const text = texts.get(key) ?? change(readFileSync(file, 'utf8'))
  texts.set(key, text)
  return text
}

const asItIs = (text: string) => text

/** A file that pages load. */
export const assetAt = (name: string) => fromRoot(`src/features/pages/html/assets/${name}`)
