import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { errors } from '../../src/kernel/errors.ts'
import { print } from '../../src/kernel/openapi/document.ts'
import { build, ROOT } from '../support/app.ts'
import { type Document, documentOf, nameOf, operationsOf, visit } from '../support/document.ts'

const idsOf = (document: Document, collection: string) =>
  Object.fromEntries(
    operationsOf(document)
      .filter(({ path, tags }) => path.split('/')[1] === collection && tags[0] !== 'Feeds')
      .map(({ method, path, operationId }) => [`${method} ${path}`, operationId]),
  )

t.test('operations have names that generators can make functions of', async (t) => {
  const { app } = await build(t)
  const document = documentOf(app)
  const ids = operationsOf(document).map(({ operationId }) => operationId)
  t.same(ids.toSorted(), [...new Set(ids)].sort(), 'no name stands twice')

  const events = {
    'get /events': 'listEvents',
    'post /events': 'createEvent',
    'get /events/{id}': 'getEvent',
    'patch /events/{id}': 'updateEvent',
    'put /events/{id}': 'replaceEvent',
    'post /events/{id}': 'updateEventByPost',
    'delete /events/{id}': 'deleteEvent',
    'get /events/by-slug/{slug}': 'getEventBySlug',
    'patch /events/by-slug/{slug}': 'updateEventBySlug',
    'put /events/by-slug/{slug}': 'replaceEventBySlug',
    'post /events/by-slug/{slug}': 'updateEventBySlugByPost',
    'delete /events/by-slug/{slug}': 'deleteEventBySlug',
    'get /events/by-external/{source}/{external_id}': 'getEventByExternalId',
    'put /events/by-external/{source}/{external_id}': 'upsertEvent',
    'post /events/{id}/restore': 'restoreEvent',
  }
  t.same(idsOf(document, 'events'), {
    ...events,
    'post /events/{id}/preview': 'createPreview',
    'get /events/{id}/revisions': 'listEventRevisions',
    'post /events/{id}/revisions/{revision_id}/restore': 'restoreEventRevision',
  })
  for (const [plural, Plural, One] of [
    ['venues', 'Venues', 'Venue'],
    ['organizers', 'Organizers', 'Organizer'],
    ['categories', 'Categories', 'Category'],
    ['tags', 'Tags', 'Tag'],
  ]) {
    const alike = Object.entries(events)
      .filter(([key]) => !/categories|tags/.test(plural!) || !/slug|external|restore/.test(key))
      .map(([key, id]) => [
        key.replace('events', plural!),
        id.replace('Events', Plural!).replace('Event', One!),
      ])
    t.same(idsOf(document, plural!), Object.fromEntries(alike), `${plural}`)
  }
  t.same(idsOf(document, 'media'), {
    'get /media': 'listMedia',
    'post /media': 'createMedia',
    'get /media/{id}': 'getMedia',
    'patch /media/{id}': 'updateMedia',
    'delete /media/{id}': 'deleteMedia',
    'get /media/{id}/uses': 'getMediaUses',
    'post /media/{id}/crop': 'cropMedia',
  })
  const feeds = operationsOf(document).filter(({ tags }) => tags[0] === 'Feeds')
  t.same(
    Object.fromEntries(feeds.map(({ method, path, operationId }) => [`${method} ${path}`, operationId])),
    {
      'get /events.fullcalendar.json': 'feedFullCalendar',
      'get /events.{format}': 'feedEvents',
      'get /events/{id}.{format}': 'feedEvent',
      'get /categories/{id}.{format}': 'feedCategory',
      'get /tags/{id}.{format}': 'feedTag',
      'get /venues/{id}.{format}': 'feedVenue',
      'get /organizers/{id}.{format}': 'feedOrganizer',
      'get /series/{id}.{format}': 'feedSeries',
    },
  )
  t.same(
    [idsOf(document, ''), idsOf(document, 'doc')],
    [{ 'get /': 'getIndex' }, { 'get /doc': 'getDocument' }],
  )
})

t.test('every tag of an operation is explained', async (t) => {
  const document = documentOf((await build(t)).app)
  const explained = new Set(
    (document.tags as { name: string; description: string }[]).map(({ name }) => name),
  )
  const used = new Set<string>()
  visit(document.paths, ({ tags }) => {
    for (const tag of (tags ?? []) as string[]) used.add(tag)
  })
  t.same(used, explained)
})

/** The components that answers are made of. */
function answeredComponents(document: Document): Set<string> {
  const names = new Set<string>()
  const follow = (part: unknown) =>
    visit(part, ({ $ref }) => {
      const [, kind, name] = /^#\/components\/(\w+)\/(\w+)$/.exec(String($ref)) ?? []
      if (kind === undefined || names.has(`${kind}/${name}`)) return
      names.add(`${kind}/${name}`)
      follow((document.components as Record<string, Record<string, unknown>>)[kind]?.[name!])
    })
  for (const { responses } of operationsOf(document)) follow(responses)
  return names
}

t.test('the document is OpenAPI 3.1, its references lead somewhere, and no answer has a null', async (t) => {
  const document = documentOf((await build(t)).app)
  t.match(document, { openapi: /^3\.1\.\d$/, info: { title: 'Almanac', version: /^\d+\.\d+\.\d+$/ } })
  const names = Object.entries(document.components).flatMap(([kind, members]) =>
    Object.keys(members).map((name) => `#/components/${kind}/${name}`),
  )
  t.notMatch(names.join(' '), /def-/)

  const answered = answeredComponents(document)
  t.ok(answered.has('schemas/CalendarEvent') && !answered.has('schemas/EventInput'))
  const references = new Set<string>()
  const wrong: string[] = []
  visit(document, (object, way) => {
    const at = way.join('.')
    if (typeof object.$ref === 'string') references.add(object.$ref)
    const isAsked =
      way.includes('requestBody') || (way[1] === 'schemas' && !answered.has(`schemas/${way[2]}`))
    const isSchema = way.at(-2) !== 'properties' && 'type' in object && way.at(-1) !== 'properties'
    if (!isAsked && isSchema && typeof object.type !== 'string') wrong.push(`${at} has not one type`)
    if ((!isAsked && object.type === 'null') || 'nullable' in object) wrong.push(`${at} may be null`)
    if (Object.values(object).includes(null)) wrong.push(`${at} holds null`)
  })
  t.same(wrong, [])
  t.same(
    [...references].filter((reference) => !names.includes(reference)),
    [],
    'every reference is to a component',
  )
})

t.test('every component is used, by an operation or by another component', async (t) => {
  const document = documentOf((await build(t)).app)
  const text = JSON.stringify(document)
  const unused = Object.entries(document.components).flatMap(([kind, members]) =>
    kind === 'securitySchemes'
      ? []
      : Object.keys(members).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
  )
  t.same(unused, [])
})

t.test('lists in a query are published as comma lists', async (t) => {
  const document = documentOf((await build(t)).app)
  let lists = 0
  for (const { method, path, parameters } of operationsOf(document))
    for (const { name, schema, style, explode, in: place } of parameters) {
      const list = schema.type === 'array'
      if (list && name !== '_fields') lists++
      t.same(
        { style, explode },
        list ? { style: 'form', explode: false } : { style: undefined, explode: undefined },
        `${method} ${path} ${place} ${name}`,
      )
    }
  t.equal(
    lists,
    8 + 1 + 1 + 1 + 2 + 2 + 8 + 4 * 7 + 8 + 8 + 10 + 1 + 1,
    'those of events, series, venues, organizers, categories, tags, feeds, changes, the audit log and media',
  )
})

t.test('what an operation answers is described by a component, with its headers', async (t) => {
  const document = documentOf((await build(t)).app)
  const wrong: string[] = []
  for (const { method, path, responses } of operationsOf(document))
    for (const [status, { description, content, headers }] of Object.entries(responses)) {
      const at = `${method} ${path} ${status}`
      if (!description.endsWith('.')) wrong.push(`${at} does not say what it means`)
      for (const name of ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
        if (!headers || !(name in headers)) wrong.push(`${at} lacks ${name}`)
      if ((content === undefined) !== (status === '304')) wrong.push(`${at} has a body or has none`)
      if (!content) continue
      const json = content['application/json'] ?? content['application/ld+json']
      const name = nameOf(json!.schema) ?? ''
      if (!/^\w+$/.test(name) || (name === 'ErrorBody') !== Number(status) >= 400)
        wrong.push(`${at} is ${name}`)
    }
  t.same(wrong, [])
})

/** What proves in its body who asks. */
const BY_ANOTHER_PROOF = [
  ...['createCookieSession', 'acceptInvitation', 'requestPasswordReset', 'confirmPasswordReset'],
]

t.test('every operation says what it does, who may ask, and how it fails', async (t) => {
  const document = documentOf((await build(t)).app)
  const SIGNED_IN = [{ basic: [] }, { bearer: [] }]
  visit(
    document.paths,
    ({ operationId, tags, summary, description, security, responses }, [path, method]) => {
      if (operationId === undefined) return
      const open =
        operationId === 'createSubmission' ||
        /^\/session\/(factor|passkey)/.test(path!) ||
        (method === 'get' &&
          !/^\/(session|users|tokens|webhooks|settings|audit|digests|imports|submissions(?!\/challenge))|\/(revisions|uses)$/.test(
            path!,
          ))
      const byAnother = BY_ANOTHER_PROOF.includes(operationId as string)
      t.match({ tags, summary }, { tags: [/^[A-Z][a-z]+$/], summary: /^[A-Z].+[^.]$/ }, `${operationId}`)
      t.equal((tags as string[]).length, 1, `${operationId} has one tag`)
      t.match(description, /^[A-Z`].{20,}\.$/s, `${operationId}`)
      t.same(security, open || byAnother ? [{}, ...SIGNED_IN] : SIGNED_IN, `${operationId}`)
      t.hasProps(responses as object, ['401', '429', '500'], `${operationId}`)
    },
  )
})

t.test('documents of different mounts differ in their server only, a relative address', async (t) => {
  const { app, anonymous } = await build(t)
  const mounts = ['/calendar/events/v1', '/wp-json/tribe/events/v1'].flatMap((path) =>
    ['', '/en', '/ca', '/es'].map((language) => language + path),
  )
  const { servers: _, ...same } = documentOf(app)
  for (const mount of mounts) {
    const { servers, ...rest } = (await anonymous.get(`/${mount}/doc`)).body
    t.same(servers, [{ url: mount }])
    t.same(rest, same, mount)
  }
})

t.test('openapi.json is what the service answers, byte for byte', async (t) => {
  const { app, anonymous } = await build(t)
  const file = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
  t.ok(file === (await anonymous.get('/doc')).text, 'openapi.json is fresh; `npm run openapi` writes it')
  t.ok(file === print(documentOf(app)).toString(), 'and what the command prints')
})

t.test('another mount of the 3.0 twin differs in its server only', async (t) => {
  const { anonymous } = await build(t)
  const { servers: _, ...plain } = (await anonymous.get('/doc/openapi-3.0.json')).body
  const { servers, ...other } = (await anonymous.get('//ca/wp-json/tribe/events/v1/doc/openapi-3.0.json'))
    .body
  t.same(servers, [{ url: '/ca/wp-json/tribe/events/v1' }])
  t.same(other, plain)
  t.not(servers[0].url, ROOT)
})

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
      !path.includes('allOf') &&
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
  ['README', 'architecture', 'operations', 'reliability', 'sdk'].map((name) => `docs/${name}.md`),
  ['guides', 'reference'].flatMap((folder) =>
    readdirSync(new URL(`../../docs/${folder}`, import.meta.url)).map((name) => `docs/${folder}/${name}`),
  ),
)

t.test('documents are in plain words', async (t) => {
  t.same(
    PAGES.flatMap((name) => roundabout([name, read(name)])),
    [],
  )
})
