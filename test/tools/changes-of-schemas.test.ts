import t from 'tap'
import type { Schema } from '../../tools/document/openapi.ts'
import { integer, list, members, object, ref, string, tellOf } from './places.ts'

/** Two schemas, and what is told where the service reads such a value, and where it writes one: `!` is breaking. */
const CASES: [title: string, before: Schema, after: Schema, input: string[], output?: string[]][] = [
  // types
  [
    'a choice more',
    list(integer),
    { anyOf: [list({ anyOf: [integer, string] }), string] },
    ['# can be string now', '#[] can be string now'],
    ['! # can be string now', '! #[] can be string now'],
  ],
  [
    'a choice less',
    { anyOf: [list(integer), string] },
    list(integer),
    ['! # is never string any more'],
    ['# is never string any more'],
  ],
  [
    'a number',
    integer,
    { type: 'number' },
    ['# is number instead of integer'],
    ['! # is number instead of integer'],
  ],
  [
    'a whole number',
    { type: 'number' },
    integer,
    ['! # is integer instead of number'],
    ['# is integer instead of number'],
  ],
  [
    'a choice of numbers',
    { anyOf: [integer, string] },
    { anyOf: [{ type: 'number' }, string] },
    ['# is number instead of integer'],
    ['! # is number instead of integer'],
  ],
  ['null at last', string, { ...string, nullable: true }, ['# can be null now'], ['! # can be null now']],
  [
    'never null',
    { type: ['string', 'null'] },
    string,
    ['! # is never null any more'],
    ['# is never null any more'],
  ],
  [
    'anything',
    { anyOf: [string, integer] },
    {},
    ['# is any instead of string or integer'],
    ['! # is any instead of string or integer'],
  ],
  [
    'not anything',
    {},
    { anyOf: [string, integer] },
    ['! # is string or integer instead of any'],
    ['# is string or integer instead of any'],
  ],
  [
    'other types',
    string,
    list(string),
    ['! # is a list of string instead of string'],
    ['! # is a list of string instead of string'],
  ],
  [
    'a list of anything',
    { type: 'array' },
    list(string),
    ['! #[] is string instead of any'],
    ['#[] is string instead of any'],
  ],
  [
    'a list of anything again',
    list(string),
    { type: 'array' },
    ['#[] is any instead of string'],
    ['! #[] is any instead of string'],
  ],
  [
    'two texts',
    {
      anyOf: [
        { ...string, format: 'date' },
        { ...string, format: 'time' },
      ],
    },
    {
      anyOf: [
        { ...string, format: 'date' },
        { ...string, format: 'uuid' },
        { ...string, format: 'uri' },
      ],
    },
    ['! # is string (uuid) or string (uri) instead of string (time)'],
    ['! # is string (uuid) or string (uri) instead of string (time)'],
  ],
  [
    'an object less',
    { anyOf: [members({ a: string }), members({ b: string })] },
    { anyOf: [members({ a: string })] },
    ['! # is never object any more'],
    ['# is never object any more'],
  ],
  // words
  ['a word more', { const: 'a' }, { enum: ['a', ''] }, ['# can be "" now'], ['! # can be "" now']],
  ['words at last', string, { const: 'a' }, ['! # is one of a now'], ['# is one of a now']],
  [
    'words of a choice',
    { anyOf: [{ type: 'string', enum: ['a', 'b'] }, integer] },
    { anyOf: [{ const: 'a' }, integer] },
    ['! # is never b any more'],
    ['# is never b any more'],
  ],
  ['words in common', { allOf: [ref('Names'), { enum: ['b', 'c'] }] }, { const: 'b' }, []],
  ['most words less', { enum: ['a', 'b', 'c'] }, { enum: ['a'] }, ['! # is only a now'], ['# is only a now']],
  // rules
  [
    'fewer items',
    list(string),
    { ...list(string), maxItems: 3 },
    ['! # has maxItems 3 instead of none'],
    ['# has maxItems 3 instead of none'],
  ],
  [
    'items without twins',
    list(string),
    { ...list(string), uniqueItems: true },
    ['! # has uniqueItems true instead of none'],
    ['# has uniqueItems true instead of none'],
  ],
  [
    'steps',
    { ...integer, multipleOf: 2 },
    { ...integer, multipleOf: 3 },
    ['! # has multipleOf 3 instead of 2'],
    ['! # has multipleOf 3 instead of 2'],
  ],
  [
    'a pattern',
    string,
    { ...string, pattern: 'a' },
    ['! # has pattern a instead of none'],
    ['# has pattern a instead of none'],
  ],
  [
    'another format',
    { ...string, format: 'date' },
    { ...string, format: 'date-time' },
    ['! # has format date-time instead of date'],
    ['! # has format date-time instead of date'],
  ],
  [
    'a rule of its own',
    string,
    { ...string, not: { const: 'a' } },
    ['! # has another not'],
    ['! # has another not'],
  ],
  [
    'the strictest of all parts',
    {
      allOf: [
        { ...string, minLength: 1, maxLength: 5 },
        { minLength: 2, maxLength: 9, pattern: 'a' },
        { pattern: 'b' },
      ],
    },
    { ...string, minLength: 2, maxLength: 5, pattern: 'b' },
    [],
  ],
  ['numbers of all parts', { allOf: [{ type: 'number' }, integer] }, integer, []],
  ['lists of all parts', { allOf: [list({ anyOf: [string, integer] }), list(string)] }, list(string), []],
  ['parts that exclude each other', { anyOf: [string, { allOf: [string, integer] }] }, string, []],
  // members
  [
    'a member in two parts',
    { allOf: [members({ a: string }, ['a']), members({ a: { maxLength: 3 } }, ['b'])] },
    members({ a: { ...string, maxLength: 3 } }, ['a', 'b']),
    [],
  ],
  [
    'a required name',
    object,
    { ...object, required: ['a'] },
    ['! #.a is required now'],
    ['#.a is always there now'],
  ],
  [
    'a new member that is always there',
    members({}),
    members({ a: string }, ['a']),
    ['! #.a is new and required'],
    ['#.a is new'],
  ],
  [
    'no others',
    object,
    { ...object, additionalProperties: false },
    ['! # has no other members any more'],
    ['# has no other members any more'],
  ],
  [
    'others',
    { ...object, additionalProperties: false },
    { ...object, additionalProperties: {} },
    ['# can have other members now'],
    ['# can have other members now'],
  ],
  [
    'no others of one part',
    { allOf: [{ ...object, additionalProperties: false }, { additionalProperties: integer }] },
    { ...object, additionalProperties: false },
    [],
  ],
  [
    'other others',
    { ...object, additionalProperties: integer },
    { ...object, additionalProperties: string },
    ['! #.* is string instead of integer'],
    ['! #.* is string instead of integer'],
  ],
  [
    'a component with more rules',
    ref('Place'),
    { allOf: [ref('Place'), { properties: { id: { enum: [1] } } }] },
    ['! #.id is one of 1 now'],
    ['#.id is one of 1 now'],
  ],
  [
    'a component with fewer rules',
    { allOf: [ref('Place'), { properties: { id: { enum: [1] } } }] },
    ref('Place'),
    ['#.id is no longer one of a few words'],
    ['! #.id is no longer one of a few words'],
  ],
  // what is said beside the rules
  [
    'another default',
    { ...integer, default: 1 },
    { ...integer, default: 2 },
    ['! # has default 2 instead of 1'],
    ['# has default 2 instead of 1'],
  ],
  [
    'a default',
    string,
    { ...string, default: '' },
    ['! # has default "" instead of none'],
    ['# has default "" instead of none'],
  ],
  [
    'no default of a component',
    { ...ref('Place'), default: null },
    ref('Place'),
    ['! # has default none instead of null'],
    ['# has default none instead of null'],
  ],
  ['a deprecated value', string, { ...string, deprecated: true }, ['# is deprecated now']],
  ['a value that is back', { ...string, deprecated: true }, string, ['# is not deprecated any more']],
  [
    'a value that is only read',
    string,
    { ...string, readOnly: true },
    ['! # is read-only now'],
    ['# is read-only now'],
  ],
  [
    'a value that is only written',
    string,
    { ...string, writeOnly: true },
    ['# is write-only now'],
    ['! # is write-only now'],
  ],
]

for (const [title, before, after, input, output = input] of CASES)
  t.test(`${title}: is told as it matters to who sends and who reads it`, async (t) =>
    t.same(tellOf(before, after), [input, output]),
  )
