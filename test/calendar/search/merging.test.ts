import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { mendWords } from '../../../src/calendar/check/words.ts'
import { openRows } from '../../../src/calendar/index/rows.ts'
import type { TextTerm } from '../../../src/calendar/search/text-index.ts'
import { openDb } from '../../../src/kernel/database/db.ts'
import { fold } from '../../../src/kernel/text/text.ts'
import { EDITOR, openReader, openTexts } from './texts.ts'

const WORDS = [
  'jazz',
  'jazzclub',
  'music',
  'musica',
  'été',
  '東京音楽',
  '音楽祭',
  'rock-n-roll',
  'at',
  'the',
  'a',
  '🎷',
  'x'.repeat(70),
]
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 })
  .map((words) => fold(words.join(' ')))
const event = fc.record({
  folded_title: text,
  more: text,
  password_hash: fc.constantFrom(null, null, 'hash'),
})
const term: fc.Arbitrary<TextTerm> = fc
  .tuple(
    fc.constantFrom(
      ...WORDS,
      'azz',
      'us',
      'e',
      '楽祭',
      'jazz club',
      'the at',
      'k-n',
      'c roc',
      'zz',
      '--',
      'none',
      'x'.repeat(40),
    ),
    fc.constantFrom('within', 'whole', 'beginning' as const),
  )
  .map(([word, how]) => ({ text: fold(word), how }))
const terms = fc.array(term, { minLength: 1, maxLength: 2 })
type Written = { folded_title: string; more: string; password_hash: string | null } | undefined
const stored = (written: Written) =>
  written && {
    folded: `${written.folded_title}\n${written.more}`,
    folded_title: written.folded_title,
    password_hash: written.password_hash,
  }
/** IDs of three blocks, the last far away. */
const id = fc.constantFrom(1, 2, 3, 40, 131_071, 131_072, 131_073, 2 ** 40)
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('write' as const),
      id,
      event: fc.option(event, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('merge' as const), most: fc.constantFrom(1, 3, 100) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('end' as const), steps: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('find' as const), terms, edits: fc.boolean() }) },
)

/** A signal that ends what asks for it after so many questions, as a crash would between two transactions. */
function afterSteps(steps: number): AbortSignal {
  let left = steps
  return {
    get aborted() {
      return left-- <= 0
    },
  } as AbortSignal
}

t.test(
  'the index finds what reading all texts finds, whatever is written, merged and broken off',
  async (t) => {
    let found = 0
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), terms, async (operations, last) => {
        const texts = openTexts()
        const compare = async (terms: TextTerm[], edits: boolean, between?: () => Promise<void>) => {
          const caller = edits ? EDITOR : undefined
          const right = texts.scan(terms, caller as never)
          const own = await texts.find(terms, caller as never, between)
          found += right.length
          if (`${own}` !== `${right}`)
            throw new Error(`${JSON.stringify(terms)} finds ${own} in place of ${right}`)
        }
        try {
          for (const next of operations) {
            if (next.what === 'write') await texts.write(next.id, stored(next.event))
            else if (next.what === 'merge') await texts.merge(undefined, next.most)
            else if (next.what === 'end') await texts.merge(afterSteps(next.steps))
            else await compare(next.terms, next.edits)
          }
          // while all is being merged
          const merged = texts.merge()
          await compare(last, true, () => new Promise(setImmediate))
          await compare(last, false, async () => void (await texts.merge(undefined, 1)))
          await merged
          while ((await texts.merge()) > 0);
          await compare(last, true)
          const wrong = await texts.check()
          if (wrong.length > 0 || texts.waiting() > 0) throw new Error(JSON.stringify(wrong))
        } finally {
          texts.db.close()
        }
      }),
      { numRuns: 400, seed: 7 },
    )
    t.ok(found > 500, `${found} found`)
  },
)

/** Enough events for several steps of each kind, of many words. */
const MANY = 1_200
const many = (at: number, more = '') => ({
  folded: `event ${at}\nword${at % 700} of ${at % 7} ${more}`,
  folded_title: `event ${at}`,
  password_hash: null,
})
async function filled(t: Test, file?: string) {
  const texts = openTexts(file)
  t.teardown(() => texts.db.close())
  await Promise.all(Array.from({ length: MANY }, (_, at) => texts.write(at * 100 + 1, many(at))))
  return texts
}

t.test('events are merged, and what is written meanwhile is merged next', async (t) => {
  const texts = openTexts()
  t.teardown(() => texts.db.close())
  t.equal(texts.waiting(), 0)
  for (let at = 1; at <= 512; at++) await texts.write(at, many(at))
  t.equal(texts.waiting(), 512)
  const merged = texts.merge()
  await new Promise(setImmediate)
  await texts.write(1, many(1, 'again'))
  await texts.write(2, undefined)
  await texts.write(600, many(600))
  t.ok((await merged) > 0)
  t.ok(texts.waiting() > 0)
  while ((await texts.merge()) > 0);
  t.same([texts.waiting(), await texts.check()], [0, []])
  t.equal(await texts.merge(), 0)
})

t.test(
  'two processes on one file find the same while one of them merges, with words that are new to the other',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const texts = await filled(t, file)
    const other = openDb(file)
    t.teardown(() => other.close())
    const index = openRows()
    for (const id of texts.events.keys()) index.assign(id)
    const reader = openReader(other, index, texts.events)
    const all = [
      [{ text: 'word6', how: 'within' }],
      [{ text: 'word69', how: 'whole' }],
      [{ text: 'event 11', how: 'within' }],
      [
        { text: 'of', how: 'whole' },
        { text: '7', how: 'within' },
      ],
      [{ text: 'later', how: 'beginning' }],
    ] as const
    let searches = 0
    const compare = async () => {
      for (const terms of all) {
        t.same(
          await reader.find([...terms], undefined as never, () => new Promise(setImmediate)),
          reader.scan([...terms], undefined as never),
        )
        searches++
      }
    }
    await compare()
    let isOver = false
    const merging = (async () => {
      while ((await texts.merge(undefined, 500)) > 0);
      isOver = true
    })()
    do await compare()
    while (!isOver)
    await merging
    await texts.write(5_001, many(50, 'latersea'))
    await compare()
    await texts.merge()
    await compare()
    t.ok(searches >= 20)
    t.same(await texts.check(), [])
  },
)

t.test('who begins to merge ends the merge of another, and what that left is right afterwards', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const texts = await filled(t, file)
  const other = openTexts(file)
  t.teardown(() => other.db.close())
  const first = texts.merge()
  await new Promise(setImmediate)
  const second = other.merge()
  await texts.write(1, many(1, 'changed'))
  await texts.write(101, undefined)
  t.same(await first, 0)
  t.ok((await second) > 0)
  while ((await texts.merge()) > 0);
  t.same([texts.waiting(), await texts.check()], [0, []])
  t.same(await texts.find([{ text: 'changed', how: 'whole' }], undefined as never), [1])
})

t.test('a failure while events are merged is told, and undoes its step alone', async (t) => {
  const texts = await filled(t)
  await texts.db.local(async (tx) =>
    tx.run(
      "create trigger refuse before insert on postings begin select raise(abort, 'the disk is full'); end",
    ),
  )
  await t.rejects(texts.merge(), /the disk is full/)
  const terms: TextTerm[] = [{ text: 'word11', how: 'within' }]
  t.same(await texts.find(terms, undefined as never), texts.scan(terms, undefined as never))
  await texts.db.local(async (tx) => tx.run('drop trigger refuse'))
  while ((await texts.merge()) > 0);
  t.same([texts.waiting(), await texts.check()], [0, []])
})

t.test('the words of many stretches are found, in the order in which they came', async (t) => {
  const texts = openTexts()
  t.teardown(() => texts.db.close())
  const word = (at: number) => `w${at.toString(36)}${at % 3 === 0 ? 'ж' : ''}`
  const PER = 2_000
  for (let at = 0; at < 20; at++)
    await texts.write(at + 1, {
      folded: Array.from({ length: PER }, (_, own) => word(at * PER + own)).join(' '),
      folded_title: '',
      password_hash: null,
    })
  await texts.merge(undefined, 9)
  t.same(await texts.find([{ text: word(5), how: 'whole' }], undefined as never), [1])
  await texts.merge()
  for (const at of [0, 1, 16_383, 16_384, 17_999, 18_000, 30_000, 39_999])
    t.same(
      await texts.find([{ text: word(at), how: 'whole' }], undefined as never),
      [Math.floor(at / PER) + 1],
      word(at),
    )
  for (const text of ['zж', 'rs', 'wj', 'kж w'])
    for (const how of ['within', 'beginning'] as const)
      t.same(
        await texts.find([{ text, how }], undefined as never),
        texts.scan([{ text, how }], undefined as never),
        text,
      )
})

t.test(
  'what the index has wrong is found, is right for searches once it is noted, and is put right',
  async (t) => {
    const texts = await filled(t)
    while ((await texts.merge()) > 0);
    const site = { clock: Date.now } as never
    const terms: TextTerm[] = [{ text: 'word11', how: 'whole' }]
    const right = texts.scan(terms, undefined as never)
    for (const [query, wrong] of [
      [
        "update postings set events = x'7f' where block = 0 and word = (select id from words where word = 'word11')",
        [126, ...right.filter((id) => id < 131_072)],
      ],
      ["delete from postings where word = (select id from words where word = 'word11')", right],
      ["insert into postings select -id, 0, x'02' from words where word = 'word11'", [1]],
      ["insert into postings values (1000000, 0, x'8001')", [127]],
      ["insert into postings values (1000000, 8388608, x'02')", [2 ** 40 + 1]],
      // what should have a row for many has none
      ["update postings set events = x'' where word = (select id from words where word = 'word11')", right],
    ] as const) {
      await texts.db.local(async (tx) => tx.run(query))
      const differences = await texts.check()
      t.same(
        differences.map(({ id }) => id).sort((a, b) => a - b),
        wrong,
        query,
      )
      for (const { id, kind, what } of differences)
        t.same(
          [kind, what],
          [
            'search',
            `event ${id} ${texts.events.has(id) ? 'stands wrong in the search index' : 'stands in the search index and does not exist'}`,
          ],
        )
      await mendWords(texts.db, site, differences)
      t.same(await texts.find(terms, undefined as never), right)
      t.same(await texts.check(), [])
      while ((await texts.merge()) > 0);
      t.same([texts.waiting(), await texts.check()], [0, []])
      t.same(await texts.find(terms, undefined as never), right)
    }
    // noted while a merge has it
    const merged = texts.write(1, many(1, 'more')).then(() => texts.merge())
    await texts.write(101, many(2, 'more'))
    await mendWords(texts.db, site, [{ kind: 'search', id: 1, what: '' }])
    await merged
    while ((await texts.merge()) > 0);
    t.same([texts.waiting(), await texts.check()], [0, []])
  },
)
