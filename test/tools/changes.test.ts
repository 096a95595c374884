import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { checkDocument, compareDocuments } from '../../tools/document/changes.ts'
import type { OpenApi } from '../../tools/document/openapi.ts'

/** A small document with one of everything that can change. */
const BASE = () => ({
  paths: {
    '/tags': {
      get: {
        operationId: 'listTags',
        security: [{}, { basic: [] }] as object[],
        parameters: [
          { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 9 } },
          { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'] } },
          { name: 'id', in: 'path', required: true, schema: { type: 'array', items: { type: 'integer' } } },
        ],
        responses: { 200: ref('Tag'), 404: { $ref: '#/components/responses/NotFound' } },
      },
      post: {
        operationId: 'createTag',
        security: [{ basic: [] }],
        requestBody: { required: false, ...ref('TagInput') } as object | undefined,
        responses: { 201: ref('Tag') },
      },
    },
  },
  components: {
    responses: { NotFound: ref('Error') },
    schemas: {
      Error: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
      TagInput: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string', maxLength: 200, pattern: 'a' }, slug: { type: 'string' } },
      },
      Tag: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          status: { type: 'string', enum: ['on', 'off'] },
          urls: { $ref: '#/components/schemas/Urls' },
          more: {},
          image: { anyOf: [{ $ref: '#/components/schemas/Urls' }, { type: 'boolean', enum: [false] }] },
          above: { $ref: '#/components/schemas/Tag' },
        },
      },
      Urls: { type: 'object', properties: { self: { type: 'string', format: 'uri' } } },
    },
  },
})
const ref = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})

// biome-ignore lint/suspicious/noExplicitAny: the edits reach deep into the document
type Any = any
type Edit = (document: Any) => Any
const get: Edit = (d) => d.paths['/tags'].get
const parameter: Edit = (d) => get(d).parameters
const post: Edit = (d) => d.paths['/tags'].post
const schemas: Edit = (d) => d.components.schemas
const input: Edit = (d) => schemas(d).TagInput
const tag: Edit = (d) => schemas(d).Tag

/** What is done to the document, and what is told: `!` is breaking. */
const CASES: [title: string, edit: Edit, told: string[]][] = [
  ['nothing', () => {}, []],
  [
    'a new format',
    (d) => (input(d).properties.slug.format = 'uri'),
    ['! TagInput (input).slug has format uri instead of none'],
  ],
  [
    'a new choice',
    (d) => tag(d).properties.image.anyOf.push({ type: 'string' }),
    ['! Tag (output).image can be string now'],
  ],
  ['a removed operation', (d) => delete d.paths['/tags'].get, ['! GET /tags was removed']],
  ['a new operation', (d) => (d.paths['/x'] = { get: get(d) }), ['GET /x is new']],
  [
    'a renamed operation',
    (d) => (get(d).operationId = 'tags'),
    ['! GET /tags is called tags instead of listTags'],
  ],
  ['a read that is closed', (d) => get(d).security.shift(), ['! GET /tags needs credentials now']],
  ['a write that is opened', (d) => delete post(d).security, ['POST /tags needs no credentials any more']],
  ['a removed parameter', (d) => parameter(d).shift(), ['! GET /tags query page was removed']],
  [
    'a renamed parameter',
    (d) => (parameter(d)[0].name = 'p'),
    ['! GET /tags query page was removed', 'GET /tags query p is new'],
  ],
  [
    'a new required parameter',
    (d) => parameter(d).push({ name: 'x', in: 'query', required: true, schema: {} }),
    ['! GET /tags query x is new and required'],
  ],
  [
    'a parameter that is required',
    (d) => (parameter(d)[0].required = true),
    ['! GET /tags query page is required now'],
  ],
  [
    'a parameter that is optional',
    (d) => (parameter(d)[2].required = false),
    ['GET /tags path id is optional now'],
  ],
  [
    'another type',
    (d) => (parameter(d)[0].schema.type = 'string'),
    ['! GET /tags query page is string instead of integer'],
  ],
  [
    'any type in',
    (d) => delete parameter(d)[0].schema.type,
    ['GET /tags query page is any instead of integer'],
  ],
  [
    'another item',
    (d) => (parameter(d)[2].schema.items.type = 'string'),
    ['! GET /tags path id[] is string instead of integer'],
  ],
  [
    'fewer words in',
    (d) => parameter(d)[1].schema.enum.pop(),
    ['! GET /tags query order is never desc any more'],
  ],
  ['more words in', (d) => parameter(d)[1].schema.enum.push('any'), ['GET /tags query order can be any now']],
  [
    'free words in',
    (d) => delete parameter(d)[1].schema.enum,
    ['GET /tags query order is no longer one of a few words'],
  ],
  [
    'a few words in',
    (d) => (parameter(d)[0].schema.enum = [1, 2]),
    ['! GET /tags query page is one of 1, 2 now'],
  ],
  [
    'a narrower maximum',
    (d) => (parameter(d)[0].schema.maximum = 5),
    ['! GET /tags query page has maximum 5 instead of 9'],
  ],
  [
    'a wider maximum',
    (d) => (parameter(d)[0].schema.maximum = 50),
    ['GET /tags query page has maximum 50 instead of 9'],
  ],
  [
    'a higher minimum',
    (d) => (parameter(d)[0].schema.minimum = 2),
    ['! GET /tags query page has minimum 2 instead of 1'],
  ],
  [
    'no minimum',
    (d) => delete parameter(d)[0].schema.minimum,
    ['GET /tags query page has minimum none instead of 1'],
  ],
  [
    'a new limit',
    (d) => (input(d).properties.slug.maxLength = 9),
    ['! TagInput (input).slug has maxLength 9 instead of none'],
  ],
  [
    'no pattern',
    (d) => delete input(d).properties.name.pattern,
    ['TagInput (input).name has pattern none instead of a'],
  ],
  [
    'a body that is required',
    (d) => (post(d).requestBody.required = true),
    ['! POST /tags body is required now'],
  ],
  ['no body', (d) => delete post(d).requestBody, ['! POST /tags body was removed']],
  [
    'a new body',
    (d) => (get(d).requestBody = { ...ref('Tag'), required: true }),
    ['! GET /tags body is new and required'],
  ],
  ['a new body at will', (d) => (get(d).requestBody = ref('Tag')), ['GET /tags body is new']],
  [
    'another type of body',
    (d) => (post(d).requestBody.content = { 'text/plain': { schema: {} } }),
    ['! POST /tags body application/json was removed', 'POST /tags body text/plain is new'],
  ],
  ['a removed field', (d) => delete input(d).properties.slug, ['! TagInput (input).slug was removed']],
  ['a new field', (d) => (input(d).properties.x = {}), ['TagInput (input).x is new']],
  [
    'a new required field',
    (d) => input(d).required.push('x') && Object.assign(input(d).properties, { x: {} }),
    ['! TagInput (input).x is new and required'],
  ],
  [
    'a field that is required',
    (d) => input(d).required.push('slug'),
    ['! TagInput (input).slug is required now'],
  ],
  ['a field that is optional', (d) => input(d).required.pop(), ['TagInput (input).name is optional now']],
  ['a removed status', (d) => delete get(d).responses[404], ['! GET /tags 404 was removed']],
  ['a new status', (d) => (get(d).responses[410] = ref('Error')), ['GET /tags 410 is new']],
  ['a removed member', (d) => delete tag(d).properties.status, ['! Tag (output).status was removed']],
  ['a new member', (d) => (tag(d).properties.x = {}), ['Tag (output).x is new']],
  ['a member that may be absent', (d) => tag(d).required.pop(), ['! Tag (output).id may be absent now']],
  [
    'a member that is always there',
    (d) => tag(d).required.push('more'),
    ['Tag (output).more is always there now'],
  ],
  [
    'more words out',
    (d) => tag(d).properties.status.enum.push('new'),
    ['! Tag (output).status can be new now'],
  ],
  [
    'fewer words out',
    (d) => tag(d).properties.status.enum.pop(),
    ['Tag (output).status is never off any more'],
  ],
  [
    'a type at last',
    (d) => (tag(d).properties.more.type = 'object'),
    ['Tag (output).more is object instead of any'],
  ],
  ['any type out', (d) => delete tag(d).properties.id.type, ['! Tag (output).id is any instead of integer']],
  ['a member below', (d) => delete schemas(d).Urls.properties.self, ['! Urls (output).self was removed']],
  [
    'no format',
    (d) => delete schemas(d).Urls.properties.self.format,
    ['! Urls (output).self has format none instead of uri'],
  ],
  [
    'another component',
    (d) => (tag(d).properties.urls = { type: 'string' }),
    ['! Tag (output).urls is string instead of Urls'],
  ],
  [
    'one choice more',
    (d) => tag(d).properties.image.anyOf.push({ type: 'array', items: { $ref: '#/components/schemas/Tag' } }),
    ['! Tag (output).image can be a list of Tag now'],
  ],
  [
    'one choice less',
    (d) => tag(d).properties.image.anyOf.pop(),
    ['Tag (output).image is never false any more'],
  ],
  [
    'a member of an error',
    (d) => delete schemas(d).Error.properties.code,
    ['! Error (output).code was removed'],
  ],
  [
    'no answer at all',
    (d) => (d.components.responses.NotFound = {}),
    ['! GET /tags 404 application/json was removed'],
  ],
]

for (const [title, edit, told] of CASES)
  t.test(`${title} is told`, async (t) => {
    const newer = structuredClone(BASE())
    edit(newer)
    const changes = compareDocuments(BASE() as never as OpenApi, newer as never as OpenApi)
    t.same(
      changes.map(({ breaking, where, what }) => `${breaking ? '! ' : ''}${where} ${what}`),
      told,
    )
  })

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

t.test('openapi.json is compared with the last release, or with a file', async (t) => {
  const same = JSON.parse(readFileSync(here('openapi.json'), 'utf8'))
  const { '/tags': _, ...without } = same.paths
  const more = structuredClone(same)
  more.paths['/more'] = same.paths['/tags']
  const dir = t.testdir({
    'less.json': JSON.stringify({ ...same, paths: without }),
    'more.json': JSON.stringify(more),
    'not.json': 'nothing',
  })
  const check = (file: string, json?: boolean) => checkDocument(file, here('openapi.json'), json)
  t.same(check(here('openapi.json')), { breaking: false, text: 'Nothing changed since 0.1.0.\n' })
  t.same(check(`${dir}/less.json`), {
    breaking: false,
    text: 'Changes since 0.1.0: 0 breaking, 2 noted.\n  noted     GET /tags is new\n  noted     POST /tags is new\n',
  })
  t.same(check(`${dir}/more.json`), {
    breaking: true,
    text: 'Changes since 0.1.0: 2 breaking, 0 noted.\n  breaking  GET /more was removed\n  breaking  POST /more was removed\n',
  })
  const { breaking, text } = check(`${dir}/more.json`, true)
  t.match(
    [breaking, JSON.parse(text)],
    [
      true,
      {
        since: '0.1.0',
        breaking: true,
        changes: [{ breaking: true, where: 'GET /more', what: 'was removed' }, {}],
      },
    ],
  )
  t.throws(() => check(`${dir}/not.json`), { message: /not\.json is not an OpenAPI document/ })
  t.equal(check(here('docs/released/openapi.json')).breaking, false, 'nothing that was released is broken')
})

t.test('operations with the same change share a line of the report', async (t) => {
  const operation = (headers: object) => ({ responses: { 200: { headers } } })
  const paths = (headers: object) =>
    Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [`/${name}`, { get: operation(headers) }]))
  const write = (paths: object, schemas = {}) =>
    JSON.stringify({ info: { version: '1.0.0' }, paths, components: { schemas } })
  const dir = t.testdir({
    'full.json': write(paths({ ETag: {}, Link: {} }), { Word: {} }),
    'less.json': write({ ...paths({ ETag: {} }), '/a': { get: operation({ Link: {} }) } }),
    'none.json': write({}),
  })
  const check = (older: string, newer: string) =>
    checkDocument(`${dir}/${older}.json`, `${dir}/${newer}.json`).text.split('\n').slice(0, -1)
  t.same(check('full', 'less'), [
    'Changes since 1.0.0: 6 breaking, 0 noted.',
    '  breaking  GET /a 200 header ETag was removed',
    '  breaking  GET /b 200, GET /c 200, GET /d 200 and 1 more: header Link was removed',
    '  breaking  schema Word was removed: generated types lack it',
  ])
  t.same(check('none', 'full'), [
    'Changes since 1.0.0: 0 breaking, 5 noted.',
    ...['a', 'b', 'c', 'd', 'e'].map((name) => `  noted     GET /${name} is new`),
  ])
})
