import { SaxesParser } from 'saxes'
import { PIECE, type Task } from '../../../kernel/tasks/scheduler.ts'

/** An element of XML: its name without prefix, its namespace, its attributes by name without prefix, and what is inside. */
export type Element = {
  name: string
  uri: string
  attributes: Record<string, string>
  text: string
  elements: Element[]
  line: number
}

/** Reads XML. Throws if it breaks the rules of XML, as one that is cut off does. Entities that a document declares are not known. */
export function* readXml(text: string): Task<Element> {
  const document: Element = { name: '', uri: '', attributes: {}, text: '', elements: [], line: 0 }
  const open = [document]
  const parser = new SaxesParser({ xmlns: true })
  const write = (words: string) => {
    open.at(-1)!.text += words
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    const own = Object.values(attributes).map(({ local, value }) => [local, value])
    const element: Element = {
      ...{ name: local, uri, attributes: Object.fromEntries(own) },
      ...{ text: '', elements: [], line: parser.line },
    }
    open.at(-1)!.elements.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', write)
  parser.on('cdata', write)
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE))
    yield
  }
  parser.close()
  return document.elements[0]!
}

/** All elements with one of these names, directly inside. */
export const elementsOf = ({ elements }: Element, ...names: string[]): Element[] =>
  elements.filter(({ name }) => names.includes(name))
/** The text of the first element with one of these names that has some; empty without any. */
export const textIn = (element: Element, ...names: string[]): string =>
  names
    .flatMap((name) => elementsOf(element, name))
    .map(({ text }) => text.trim())
    .find((text) => text !== '') ?? ''
