import t from 'tap'
import { compareDocuments } from '../../tools/document/changes.ts'
import type { OpenApi } from '../../tools/document/openapi.ts'
import { body, type Case, GET, get, PLACES, PUT, place, put, rename, tellBoth, text } from './places.ts'

const CASES: Case[] = [
  [
    'servers',
    (d) => (d.servers[0].url = '/v3'),
    ['! server /v1 was removed', 'server /v3 is new'],
    ['! server /v3 was removed', 'server /v1 is new'],
  ],
  [
    'variables of a server',
    (d) => (d.servers[1].variables.at.default = 'v3'),
    ['! server /{at} has other variables'],
    ['! server /{at} has other variables'],
  ],
  [
    'servers of an operation',
    (d) => delete get(d).servers,
    [`! ${GET} server /read was removed`],
    [`${GET} server /read is new`],
  ],
  [
    'a deprecated operation',
    (d) => (put(d).deprecated = true),
    [`${PUT} is deprecated now`],
    [`${PUT} is not deprecated any more`],
  ],
  // signing in
  [
    'a document for everybody',
    (d) => delete d.security,
    ['GET /words needs no credentials any more', `${PUT} needs no credentials any more`],
    [
      '! GET /words needs credentials now',
      `! ${PUT} needs credentials now`,
      'GET /words takes basic now',
      `${PUT} takes basic now`,
    ],
  ],
  [
    'credentials at will',
    (d) => (put(d).security = [{}, { basic: [] }]),
    [`${PUT} needs no credentials any more`],
    [`! ${PUT} needs credentials now`],
  ],
  [
    'credentials that end',
    (d) => get(d).security.splice(1, 1),
    [`! ${GET} does not take basic any more`],
    [`${GET} takes basic now`],
  ],
  [
    'a read without credentials',
    (d) => (get(d).security = []),
    [`! ${GET} does not take basic any more`, `! ${GET} does not take token read list any more`],
    [`${GET} takes basic now`, `${GET} takes token read list now`],
  ],
  [
    'another scope',
    (d) => (get(d).security[2].token = ['read']),
    [`${GET} takes token read now`],
    [`! ${GET} does not take token read any more`, `${GET} takes token read list now`],
  ],
  [
    'both credentials at once',
    (d) => (put(d).security = [{ token: [], basic: [] }]),
    [`! ${PUT} does not take basic any more`, `${PUT} takes basic with token now`],
    [`${PUT} takes basic now`],
  ],
  [
    'a scheme that ends',
    (d) => delete d.components.securitySchemes.token && get(d).security.pop(),
    ['! security token was removed'],
    [`${GET} takes token read list now`, 'security token is new'],
  ],
  [
    'a scheme that is renamed',
    (d) => {
      d.components.securitySchemes = {
        basic: d.components.securitySchemes.basic,
        bearer: { scheme: 'bearer', type: 'http', description: 'A token.' },
      }
      get(d).security[2] = { bearer: ['read', 'list'] }
    },
    ['! security token is now bearer: generated clients have another name'],
    ['! security bearer is now token: generated clients have another name'],
  ],
  [
    'a scheme of another kind',
    (d) => (d.components.securitySchemes.token = { type: 'apiKey', in: 'header', name: 'Token' }),
    ['! security token asks for other credentials'],
    ['! security token asks for other credentials'],
  ],
  // names
  [
    'a schema that is renamed',
    (d) => rename(d as never, 'Place', 'Spot'),
    ['! schema Place is now Spot: generated types have another name'],
    ['! schema Spot is now Place: generated types have another name'],
  ],
  [
    'a schema written out',
    (d) => {
      delete d.components.schemas.Failure
      for (const at of [get(d).responses[404], put(d).responses[400]])
        at.content['application/json'].schema = { type: 'object', properties: { code: { type: 'string' } } }
    },
    ['! schema Failure was removed: generated types lack it'],
    [],
  ],
  [
    'a schema with a twin',
    (d) => {
      d.components.schemas.Twin = structuredClone(place)
      body(d).content['application/json'] = text('Twin')
    },
    ['schema Place is Twin in some places now'],
    ['! schema Twin is now Place: generated types have another name'],
  ],
  [
    'a tag that is renamed',
    (d) => (get(d).tags = put(d).tags = ['Spots']),
    ['! tag Places is now Spots: generated classes have another name'],
    ['! tag Spots is now Places: generated classes have another name'],
  ],
  [
    'an operation with another tag',
    (d) => (put(d).tags = ['Words']),
    [`! ${PUT} is tagged Words instead of Places: generated classes differ`],
    [`! ${PUT} is tagged Places instead of Words: generated classes differ`],
  ],
  [
    'an operation without a tag',
    (d) => delete put(d).tags,
    [`! ${PUT} is tagged nothing instead of Places: generated classes differ`],
    ['! tag nothing is now Places: generated classes have another name'],
  ],
  // what nobody depends on
  [
    'texts and code samples',
    (d) =>
      Object.assign(get(d), {
        summary: 'Reads.',
        description: 'Reads.',
        'x-codeSamples': [{ lang: 'curl' }],
      }),
    [],
    [],
  ],
]

for (const [title, edit, there, back] of CASES)
  t.test(`${title}: is told in both directions`, async (t) => t.same(tellBoth(edit), [there, back]))

t.test('a reference that leads nowhere is named', async (t) => {
  const document = PLACES() as never as OpenApi
  t.throws(() => compareDocuments(document, { ...document, components: {} }), {
    message: '#/components/parameters/Id leads nowhere in the OpenAPI document',
  })
})

t.test('documents without components are compared', async (t) => {
  t.same(compareDocuments({ paths: {} }, { paths: {} }), [])
})
