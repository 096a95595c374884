import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { build } from './support/app.ts'
import { documentOf, visit } from './support/document.ts'
import { makeExamples, publishable } from './support/examples.ts'

const FILE = new URL('../schemas/examples.json', import.meta.url)
const env = { BASE_URL: 'https://calendar.example', CURRENCY: 'EUR', TIMEZONE: 'Europe/Madrid' }

t.test('the examples of the document are what the service takes and answers', async (t) => {
  const media = { MEDIA_DIR: t.testdir() }
  const made = publishable(await makeExamples(await build(t, { env: { ...env, ...media } })))
  // `EXAMPLES=write npx tap test/examples.test.ts` writes them anew
  if (process.env.EXAMPLES === 'write') writeFileSync(FILE, `${JSON.stringify(made, null, 2)}\n`)
  t.same(JSON.parse(readFileSync(FILE, 'utf8')), made)
})

t.test('every body and every answer has an example', async (t) => {
  const { app } = await build(t)
  const document = documentOf(app)
  const examples = new Set(Object.keys(document.components.examples!))
  const used = new Set<string>()
  visit([document.paths, document.components.responses], (object, way) => {
    if (way.at(-2) !== 'content' || way.at(-1) === 'text/html' || way.at(-1) === 'multipart/form-data') return
    const named = Object.entries((object.examples ?? {}) as Record<string, { $ref: string }>)
    t.ok(named.length > 0, way.join(' '))
    for (const [name, { $ref }] of named) {
      t.equal($ref, `#/components/examples/${name}`)
      used.add(name)
    }
  })
  t.same(used, examples, 'and none is left over')
})
