import fc from 'fast-check'
import t from 'tap'
import { planOf, tokensOf } from '../../../src/calendar/search/text-index.ts'
import { hasTerm } from '../../../src/kernel/text/search.ts'
import { fold } from '../../../src/kernel/text/text.ts'
import { draws } from '../../support/properties.ts'

/** Pieces of texts: of one alphabet after the other, so that words are near to one another. */
const PIECES = [
  ...['a', 'b', 'ab', 'ba', 'aba', ' ', ' ', '\n', '-', ',', '"', '+', '7'],
  ...[
    '東',
    '京',
    '音楽',
    'か',
    'กา',
    'é',
    'ß',
    'ж',
    'שָ',
    '🎷',
    '👩‍👧',
    '𐐀',
    'ab'.repeat(17),
    'ba'.repeat(40),
  ],
]
const texts = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 14 })
  .map((pieces) => pieces.join('').split('\n').map(fold).join('\n'))
const hows = fc.constantFrom('within', 'whole', 'beginning' as const)

/** Whether an index with these tokens finds a term. */
function isLikely(tokens: Set<string>, { parts, grams }: ReturnType<typeof planOf>) {
  const lines = [...tokens].filter((token) => token[0] !== ' ').map((word) => `\n${word}\n`)
  return (
    grams.every((gram) => tokens.has(gram)) &&
    parts.every(({ text, begins, ends }) =>
      lines.some((line) => line.includes((begins ? '\n' : '') + text + (ends ? '\n' : ''))),
    )
  )
}

t.test(
  'the words of a text tell all terms that it may have, and of an exact one whether it has it',
  async (t) => {
    let exact = 0
    let found = 0
    fc.assert(
      fc.property(texts, texts, fc.nat(80), fc.nat(80), hows, (folded, other, from, length, how) => {
        // mostly a piece of the text itself
        const text = (length % 4 ? folded.slice(from % (folded.length + 1)).slice(0, length) : other)
          .replaceAll('\n', ' ')
          .replace(/\p{Cs}/gu, '')
          .trim()
        fc.pre(text !== '')
        const plan = planOf({ text, how })
        const likely = isLikely(tokensOf(folded), plan)
        const has = hasTerm(folded, { text, how })
        if (has) found++
        if (plan.isExact) exact++
        if (has && !likely) throw new Error(`${JSON.stringify(text)} ${how} is not found`)
        if (plan.isExact && likely !== has) throw new Error(`${JSON.stringify(text)} ${how} is not exact`)
        if (plan.parts.length + plan.grams.length === 0)
          throw new Error(`${JSON.stringify(text)} asks for nothing`)
      }),
      { numRuns: draws(20_000), seed: 7 },
    )
    t.ok(Math.min(exact, found) > draws(20_000) / 10, `${exact} exact, ${found} found`)
  },
)

t.test(
  'words are what stands between signs, in pieces if they are long, and every pair of characters',
  async (t) => {
    t.same([...tokensOf('a-ab 東京x')].sort(), [
      ...[' -', ' -a', ' a', ' a-', ' ab', ' b', ' x', ' 京', ' 京x', ' 東', ' 東京'],
      ...['+x', 'a', 'ab'],
    ])
    const long = 'abcd'.repeat(25)
    const words = [...tokensOf(long)].filter((token) => token[0] !== ' ')
    t.same(words, [`${long.slice(0, 64)}+`, `+${long.slice(32, 96)}+`, `+${long.slice(64)}`])
  },
)

for (const [text, how, parts, grams, isExact] of [
  ['jazz', 'within', ['jazz'], [], true],
  ['jazz', 'whole', ['|jazz|'], [], true],
  ['j', 'beginning', ['|j'], [], true],
  ['ja', 'within', [], [' ja'], true],
  ['--', 'within', [], [' --'], true],
  ['jazz club', 'within', ['jazz|', '|club'], [], false],
  ['at the opera', 'whole', ['|at|', '|the|', '|opera|'], [], false],
  ['at the opera', 'within', ['|the|', '|opera'], [' at'], false],
  ['t a', 'within', [], [' t', ' a'], false],
  ['jazz-club', 'within', ['jazz|', '|club'], [' z-', ' -c', ' -'], false],
  ['音楽祭', 'within', [], [' 音楽', ' 楽祭', ' 音', ' 楽', ' 祭'], false],
  ['x音楽', 'whole', [], [' x', ' x音', ' 音楽', ' 音', ' 楽'], false],
  ['a'.repeat(40), 'whole', [`|${'a'.repeat(32)}`], [], false],
] as const)
  t.test(`${text.slice(0, 20)}, ${how}, is looked for by what all texts with it have`, async (t) => {
    const plan = planOf({ text, how })
    t.same(
      plan.parts.map(({ text, begins, ends }) => (begins ? '|' : '') + text + (ends ? '|' : '')),
      parts,
    )
    t.same([plan.grams, plan.isExact], [grams, isExact])
  })
