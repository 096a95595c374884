import { readFileSync } from 'node:fs'
import t from 'tap'
import { errors } from '../../src/errors.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

type Node = Record<string, unknown> & { description?: string; $ref?: string }
const DOCUMENT = JSON.parse(read('openapi.json')) as Node
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Every object in the document with its path, except examples, which hold data. */
function* walk(node: Node, path: string[] = []): Generator<[string[], Node]> {
  yield [path, node]
  for (const [name, member] of Object.entries(node))
    if (isNode(member) && name !== 'examples' && name !== 'example') yield* walk(member, [...path, name])
}
const NODES = [...walk(DOCUMENT)]
const DESCRIBED = NODES.filter(([, { description }]) => typeof description === 'string').map(
  ([path, { description }]) => [path.join('/'), description!] as const,
)

t.test('every parameter, property, operation, response, header and tag has a description', async (t) => {
  const parents = ['parameters', 'properties', 'headers', 'responses', 'tags']
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  const must = NODES.filter(
    ([path, { $ref }]) =>
      $ref === undefined &&
      path.at(-1) !== 'items' &&
      (parents.includes(path.at(-2)!) || methods.includes(path.at(-1)!)),
  )
  t.ok(must.length > 500, `${must.length} are looked at`)
  t.same(
    must.filter(([, { description }]) => !description).map(([path]) => path.join('/')),
    [],
  )
})

/** The rules of prose that a text breaks: whole sentences, short ones, short paragraphs. */
function faults([where, text]: readonly [string, string]): string[] {
  const found: string[] = []
  if (!/^[A-Z`][\s\S]*\.$/.test(text)) found.push(`${where}: not whole sentences: ${text}`)
  for (const paragraph of text.split('\n\n'))
    if (paragraph.length > 520) found.push(`${where}: a paragraph of ${paragraph.length} characters`)
  for (const sentence of text.split(/(?<=[.:])\s/))
    if (sentence.split(' ').length > 45) found.push(`${where}: too long: ${sentence}`)
  return found
}

t.test('every description is made of whole, short sentences', async (t) => {
  t.same(DESCRIBED.filter(([path]) => path !== 'info').flatMap(faults), [])
  t.same(
    Object.entries(errors).flatMap(([code, [, meaning]]) => faults([code, meaning])),
    [],
  )
})

/** Phrases that the field has a plain word for. */
const ROUNDABOUT: [phrase: RegExp, plain: string][] = [
  [/\bfor good\b/i, 'permanently'],
  [/\bmeanwhile\b/i, 'since'],
  [/\bwall clocks?\b/i, 'local time'],
  [/\bcome back\b/i, 'try again'],
  [/\bthe (same|likes?) of\b/i, 'the same as'],
  [/\bstands? (over|beside)\b/i, 'overrides'],
  [/\bwhere (it|there) (is|are|was|were)\b/i, 'if'],
  [/\b(is|are) taken (for|as well)\b/i, 'is accepted'],
  [/\bthis once\b/i, 'only in this response'],
  [/\bkept answers?\b/i, 'cached responses'],
]

/** The roundabout phrases of a text, with what to write instead. */
const roundabout = ([where, text]: readonly [string, string]): string[] =>
  ROUNDABOUT.flatMap(([phrase, plain]) => {
    const [found] = phrase.exec(text) ?? []
    return found ? [`${where}: "${found}": write "${plain}"`] : []
  })

t.test('descriptions and errors are in plain words', async (t) => {
  t.same(DESCRIBED.flatMap(roundabout), [])
  t.same(
    Object.entries(errors).flatMap(([code, [, meaning]]) => roundabout([code, meaning])),
    [],
  )
})

/** What newcomers and operators read. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].concat(
  ['architecture', 'operations', 'reliability', 'sdk'].map((name) => `docs/${name}.md`),
)

t.test('documents are in plain words', async (t) => {
  t.same(
    PAGES.flatMap((name) => roundabout([name, read(name)])),
    [],
  )
})
