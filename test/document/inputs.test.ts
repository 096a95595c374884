import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { build, EVENT } from '../support/app.ts'
import { documentOf, operationsOf } from '../support/document.ts'
import { must } from '../support/events.ts'
import { inputTables, MEDIA_UPDATE, USER_UPDATE, type Values } from '../support/inputs.ts'
import { draw, raw } from '../support/pictures.ts'

const api = await build(t)
const { administrator: admin } = api
const document = documentOf(api.app)
const operations = operationsOf(document)
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
ajv.addSchema({ $id: 'document', components: document.components })

type Body = Record<string, unknown>
/** Whether the document allows a body. */
const allows = (component: string, body: Body) =>
  ajv.getSchema(`document#/components/schemas/${component}`)!(body) as boolean

let made = 0
/** Where a kind is created, and the least of it; names that are taken only once are numbered. */
const KINDS: Record<string, [path: string, least: () => Body]> = {
  Event: ['/events', () => ({ ...EVENT, end_date: '2030-01-01' })],
  Series: [
    '/series',
    () => ({ ...EVENT, end_date: '2030-01-01', recurrence: { rrule: 'FREQ=DAILY;COUNT=1' } }),
  ],
  Venue: ['/venues', () => ({ venue: 'Hall', geo_lat: 1, geo_lng: 1 })],
  Organizer: ['/organizers', () => ({ organizer: 'Club' })],
  Category: ['/categories', () => ({ name: `Category ${++made}` })],
  Tag: ['/tags', () => ({ name: `Tag ${++made}` })],
  User: ['/users', () => ({ login: `user${++made}`, role: 'author' })],
  ApplicationPassword: ['/users/1/application-passwords', () => ({ name: 'Site' })],
  Media: ['/media', () => ({})],
  Token: ['/tokens', () => ({ name: 'Site', user: 1 })],
}
const create = (kind: string) => must(admin.post(KINDS[kind]![0], KINDS[kind]![1]()))

const picture = await must(admin.post('/media', await draw(9, 9), raw('a.png', 'image/png')))
for (const kind of ['Venue', 'Organizer', 'Event', 'Category', 'Tag']) await create(kind)

const bodyOf = (operationId: string) => operations.find((one) => one.operationId === operationId)?.bodyName

type Case = { kind: string; member: string; value: unknown; declared: boolean; taken: boolean }
const casesOf = (kind: string, member: string, { yes, no, words = [] }: Values): Case[] => [
  ...yes.map((value) => ({ kind, member, value, declared: true, taken: true })),
  ...no.map((value) => ({ kind, member, value, declared: false, taken: false })),
  ...words.map((value) => ({ kind, member, value, declared: true, taken: false })),
]

/** Members whose values may be taken once, or keep others from being taken. */
const FRESH = ['name', 'slug', 'status', 'recurrence']

async function tryUpdate(t: Test, { kind, member, value, declared, taken }: Case, known: number) {
  const component = bodyOf(`update${kind}`)
  if (component === undefined) return
  const label = `${kind}.${member} ${JSON.stringify(value).slice(0, 60)} in an update`
  const isFresh = taken && FRESH.includes(member)
  const { id } = isFresh ? await create(kind) : { id: known }
  const answer = await admin.patch(`${KINDS[kind]![0]}/${id}`, { [member]: value })
  t.equal(allows(component, { [member]: value }), declared, `${label}, declared`)
  t.equal(answer.status, taken ? 200 : 400, `${label}: ${answer.text.slice(0, 200)}`)
  if (isFresh) await must(admin.delete(`${KINDS[kind]![0]}/${id}?force=true`))
}

async function tryCreate(t: Test, { kind, member, value, ...expected }: Case) {
  const component = bodyOf(`create${kind}`)!
  const [path, least] = KINDS[kind]!
  const label = `${kind}.${member} ${JSON.stringify(value).slice(0, 60)}`
  const { required = [] } = document.components.schemas[component]!
  // null is no value of what has to be there
  const isThere = value !== null || !required.includes(member)
  const body = { ...least(), [member]: value }
  const answer = await admin.post(path, body)
  t.equal(allows(component, body), expected.declared && isThere, `${label}, declared`)
  t.equal(answer.status, expected.taken && isThere ? 201 : 400, `${label}: ${answer.text.slice(0, 200)}`)
}

const membersOf = (component: string) => Object.keys(document.components.schemas[component]!.properties!)

for (const [kind, table] of Object.entries(inputTables(picture.source_url)))
  t.test(`the service takes of ${kind} what the document declares`, async (t) => {
    t.same(Object.keys(table).sort(), membersOf(bodyOf(`create${kind}`)!).sort(), 'every member has values')
    const { id } = await create(kind)
    for (const [member, values] of Object.entries(table))
      for (const one of casesOf(kind, member, values)) {
        if (kind !== 'User') await tryUpdate(t, one, id)
        await tryCreate(t, one)
      }
  })

t.test('the service takes of an update of a user what the document declares', async (t) => {
  t.same(Object.keys(USER_UPDATE), membersOf('UserUpdate'))
  const { id } = await create('User')
  for (const [member, values] of Object.entries(USER_UPDATE))
    for (const one of casesOf('User', member, values)) await tryUpdate(t, one, id)
})

t.test('the service takes of an update of an image what the document declares', async (t) => {
  t.same(Object.keys(MEDIA_UPDATE), membersOf('MediaUpdate'))
  for (const [member, values] of Object.entries(MEDIA_UPDATE))
    for (const one of casesOf('Media', member, values)) await tryUpdate(t, one, picture.id)
})

t.test('every member of a body is described and has examples, which the document allows', async (t) => {
  const components = new Set(operations.flatMap(({ bodyName }) => bodyName ?? []))
  for (const component of components) {
    const { properties = {}, required } = document.components.schemas[component]!
    for (const [member, { description, examples = [], default: fallback }] of Object.entries(properties)) {
      const label = `${component}.${member}`
      t.match(description, /^[A-Z`].{15,}\.$/, label)
      t.ok(examples.length > 0, label)
      // every body without required members is an update (R10)
      if (required === undefined) t.equal(fallback, undefined, `${label} has no default`)
      const schema = { $ref: `document#/components/schemas/${component}/properties/${member}` }
      for (const example of examples)
        t.ok(ajv.validate(schema, example), `${label}: ${JSON.stringify(example)}`)
    }
  }
  t.ok(components.size >= 14)
})
