import t from 'tap'
import { body, type Case, failure, GET, get, ok, PUT, put, setCode, tellBoth } from './places.ts'

const CASES: Case[] = [
  [
    'a parameter of the path',
    (d) => (d.components.parameters.Id.schema.maximum = 9),
    [`! ${GET} path id has maximum 9 instead of none`, `! ${PUT} path id has maximum 9 instead of none`],
    [`${GET} path id has maximum none instead of 9`, `${PUT} path id has maximum none instead of 9`],
  ],
  [
    'a list as CSV',
    (d) => (get(d).parameters[0].explode = false),
    [`! ${GET} query include has explode false instead of true`],
    [`! ${GET} query include has explode true instead of false`],
  ],
  [
    'a list in pipes',
    (d) => (get(d).parameters[0].style = 'pipeDelimited'),
    [
      `! ${GET} query include has explode false instead of true`,
      `! ${GET} query include has style pipeDelimited instead of form`,
    ],
    [
      `! ${GET} query include has explode true instead of false`,
      `! ${GET} query include has style form instead of pipeDelimited`,
    ],
  ],
  ['the style of a word', (d) => (get(d).parameters[1].explode = false), [], []],
  [
    'a parameter in JSON',
    (d) => {
      get(d).parameters[1].content = { 'application/json': { schema: get(d).parameters[1].schema } }
      delete get(d).parameters[1].schema
    },
    [`! ${GET} query word has content application/json instead of none`],
    [`! ${GET} query word has content none instead of application/json`],
  ],
  [
    'what stands in JSON',
    (d) => (get(d).parameters[3].content['application/json'].schema = {}),
    [`${GET} query where is any instead of object`],
    [`! ${GET} query where is object instead of any`],
  ],
  [
    'a parameter without a schema',
    (d) => delete get(d).parameters[1].schema,
    [`${GET} query word is any instead of string`],
    [`! ${GET} query word is string instead of any`],
  ],
  ['a header in capitals', (d) => (get(d).parameters[2].name = 'IF-NONE-MATCH'), [], []],
  [
    'a required header',
    (d) => (get(d).parameters[2].required = true),
    [`! ${GET} header If-None-Match is required now`],
    [`${GET} header If-None-Match is optional now`],
  ],
  [
    'a header less',
    (d) => get(d).parameters.splice(2, 1),
    [`! ${GET} header If-None-Match was removed`],
    [`${GET} header If-None-Match is new`],
  ],
  [
    'a deprecated parameter',
    (d) => (get(d).parameters[1].deprecated = true),
    [`${GET} query word is deprecated now`],
    [`${GET} query word is not deprecated any more`],
  ],
  // bodies
  [
    'a body at will',
    (d) => (body(d).required = false),
    [`${PUT} body is optional now`],
    [`! ${PUT} body is required now`],
  ],
  [
    'a type of body',
    (d) => delete body(d).content['multipart/form-data'],
    [`! ${PUT} body multipart/form-data was removed`],
    [`${PUT} body multipart/form-data is new`],
  ],
  [
    'an encoding',
    (d) => (body(d).content['multipart/form-data'].encoding = { id: { style: 'form' } }),
    [`! ${PUT} body multipart/form-data has another encoding of its members`],
    [`! ${PUT} body multipart/form-data has another encoding of its members`],
  ],
  [
    'a body of any kind',
    (d) => (body(d).content['multipart/form-data'] = {}),
    [`${PUT} body is any instead of Place`],
    [`! ${PUT} body is Place instead of any`],
  ],
  // answers
  [
    'an answer less',
    (d) => delete get(d).responses[404],
    [`! ${GET} 404 was removed`],
    [`${GET} 404 is new`],
  ],
  [
    'a type of answer',
    (d) => (ok(d).content = { 'text/html': {}, ...ok(d).content }),
    [`${GET} 200 text/html is new`],
    [`! ${GET} 200 text/html was removed`],
  ],
  [
    'a header of an answer',
    (d) => delete ok(d).headers.ETag,
    [`! ${GET} 200 header ETag was removed`],
    [`${GET} 200 header ETag is new`],
  ],
  [
    'headers of an answer',
    (d) => delete ok(d).headers,
    [`! ${GET} 200 header ETag was removed`, `! ${GET} 200 header Link was removed`],
    [`${GET} 200 header ETag is new`, `${GET} 200 header Link is new`],
  ],
  [
    'a header that may be absent',
    (d) => delete ok(d).headers.Link.required,
    [`! ${GET} 200 header Link may be absent now`],
    [`${GET} 200 header Link is always there now`],
  ],
  [
    'a header in small letters',
    (d) => (ok(d).headers = { etag: ok(d).headers.ETag, link: ok(d).headers.Link }),
    [],
    [],
  ],
  [
    'another header',
    (d) => (d.components.headers.ETag.schema.type = 'integer'),
    [`! ${GET} 200 header ETag is integer instead of string`],
    [`! ${GET} 200 header ETag is string instead of integer`],
  ],
  [
    'a deprecated header',
    (d) => (d.components.headers.ETag.deprecated = true),
    [`${GET} 200 header ETag is deprecated now`],
    [`${GET} 200 header ETag is not deprecated any more`],
  ],
  // codes of errors
  [
    'a code less',
    (d) => (get(d).responses[404] = failure('not-found')),
    [`! ${GET} 404 never has the code in-trash any more`],
    [`${GET} 404 can have the code in-trash now`],
  ],
  [
    'another code',
    (d) => (get(d).responses[404] = failure('not-found', 'gone')),
    [`! ${GET} 404 never has the code in-trash any more`, `${GET} 404 can have the code gone now`],
    [`! ${GET} 404 never has the code gone any more`, `${GET} 404 can have the code in-trash now`],
  ],
  [
    'a code in an example',
    (d) => (put(d).responses[400].content['application/json'].example = { code: 'bad' }),
    [`${PUT} 400 can have the code bad now`],
    [`! ${PUT} 400 never has the code bad any more`],
  ],
  [
    'codes in the schema',
    (d) => setCode(d as never, { const: 'bad' }),
    ['Failure (output).code is one of bad now', `${PUT} 400 can have the code bad now`],
    [
      '! Failure (output).code is no longer one of a few words',
      `! ${PUT} 400 never has the code bad any more`,
    ],
  ],
]

for (const [title, edit, there, back] of CASES)
  t.test(`${title}: is told in both directions`, async (t) => t.same(tellBoth(edit), [there, back]))
