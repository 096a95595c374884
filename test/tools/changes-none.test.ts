import t from 'tap'
import type { Schema } from '../../tools/document/openapi.ts'
import { boolean, COMPONENTS, integer, members, ref, string, tellOf } from './places.ts'

/** Two schemas with the same meaning. */
const CASES: [title: string, before: Schema, after: Schema][] = [
  ['null as a type', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  ['null as a choice', { anyOf: [string, { type: 'null' }] }, { type: ['string', 'null'] }],
  ['null twice', { type: ['string', 'null'], nullable: true }, { type: ['null', 'string'] }],
  ['null as a word', { type: ['string', 'null'], enum: ['a', null] }, { enum: [null, 'a'] }],
  ['a component that may be null', { ...ref('Word'), nullable: true }, { type: ['string', 'null'] }],
  ['one word', { const: 'a' }, { type: 'string', enum: ['a'] }],
  ['words as choices', { oneOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['b', 'a'] }],
  ['both booleans', { enum: [true, false] }, boolean],
  [
    'words of several types',
    { enum: [1, 1.5, 'a', ['b'], { c: 1 }] },
    { enum: [1, 1.5, 'a', ['b'], { c: 1 }] },
  ],
  ['numbers as words', { type: 'number', enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
  ['a component written out', ref('Place'), COMPONENTS.Place],
  ['a component in one allOf', ref('Place'), { allOf: [ref('Place')], description: 'A place.' }],
  [
    'members in parts',
    members({ a: string, b: integer }),
    { allOf: [members({ a: string }), { properties: { b: integer } }] },
  ],
  ['a choice that another contains', string, { anyOf: [{ enum: ['a'], type: 'string' }, string] }],
  ['an order of choices', { anyOf: [string, integer] }, { oneOf: [integer, string] }],
  [
    'a bound of 3.0',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 1 },
  ],
  [
    'no bound of 3.0',
    { type: 'number', maximum: 1, exclusiveMaximum: false },
    { type: 'number', maximum: 1 },
  ],
  ['a count of nothing', { type: 'string', minLength: 0 }, string],
  ['any schema', { properties: { a: true as never } }, { properties: { a: {} } }],
  ['rules for another type', { type: 'string', maximum: 5 }, string],
  ['texts', { description: 'A.', examples: ['a'], ...string }, { title: 'B', ...string }],
  [
    'a component of two types',
    { anyOf: [ref('Either'), boolean] },
    { type: ['boolean', 'integer', 'string'] },
  ],
  ['words of one type only', { type: ['string', 'integer'], enum: ['a'] }, { const: 'a' }],
  ['a part without rules', { ...string, allOf: [{ description: 'A word.' }] }, string],
  ['a rule beside its type', { maxLength: 3, allOf: [string] }, { ...string, maxLength: 3 }],
]

for (const [title, before, after] of CASES)
  t.test(`${title}: the same in other words changes nothing`, async (t) => {
    t.same(tellOf(before, after), [[], []])
    t.same(tellOf(after, before), [[], []])
  })
