import t from 'tap'
import { openMerging, rebuildSearch } from '../../../src/calendar/search/indexing.ts'
import { SHORT, SPAN } from '../../../src/calendar/search/posting-lists.ts'
import { openTexts } from './texts.ts'

/** Words as texts have them, nearly all different: syllables in the order of a counter that jumps. */
const SYLLABLES = 'ba ce di fo gu la me ni po ru sa te vi xo zu cla bre tri'.split(' ')
const wordOf = (at: number) =>
  Array.from({ length: 4 }, (_, place) => SYLLABLES[((at * 7_919) >> (place * 4)) % SYLLABLES.length]).join(
    '',
  )
const wordsOf = (from: number, count: number) => [
  ...new Set(Array.from({ length: count }, (_, at) => wordOf(at * from + from))),
]

t.test('a long text of thousands of words stands right in the index', async (t) => {
  const texts = openTexts()
  t.teardown(() => texts.db.close())
  for (let id = 1; id <= 5; id++) {
    const folded = wordsOf(id, 4_000).join(' ')
    t.ok(folded.length > 20_000, `${folded.length} characters`)
    await texts.write(id, { folded, folded_title: 'long', password_hash: id % 2 ? null : 'hash' })
  }
  while ((await texts.merge()) > 0);
  t.same(await texts.check(), [])
  // of a word that very many events have, a block has a bit for each
  const id = `(select id from words where word = '${wordOf(1)}')`
  await texts.db.local(async (tx) => {
    tx.run(`update postings set events = x'' where word = ${id}`)
    tx.run(`insert into long_postings values (${id}, 0, cast(x'15' || zeroblob(${SPAN / 8 - 1}) as blob))`)
  })
  t.same(
    await texts.find([{ text: wordOf(1), how: 'whole' }], undefined),
    [2, 4],
    'the events of bits 2 and 4; none has ID 0',
  )
  await texts.db.local(async (tx) =>
    tx.run(`delete from postings where word = (select id from words where word = '${wordOf(1)}')`),
  )
  t.same(
    (await texts.check()).map(({ id }) => id),
    [1],
  )
})

t.test('the events of a word move to a row for many and back, and stand right in both', async (t) => {
  const texts = openTexts()
  t.teardown(() => texts.db.close())
  const lengths = () =>
    texts.db.rows<[number, number | null]>(
      `select length(postings.events), length(long_postings.events) from postings left join long_postings using (word, block)
        where word = (select id from words where word = 'common')`,
    )
  const found = () => texts.find([{ text: 'common', how: 'whole' }], undefined)
  const write = async (from: number, to: number, folded: string) => {
    for (let id = from; id <= to; id++)
      await texts.write(id, { folded, folded_title: '', password_hash: null })
    while ((await texts.merge()) > 0);
    t.same(await texts.check(), [])
  }
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  await write(1, SHORT, 'common')
  t.same(lengths(), [[SHORT, null]], 'a byte an event')
  await write(SHORT + 1, SHORT + 1, 'common')
  t.same([lengths(), await found()], [[[0, SHORT + 1]], ids(SHORT + 1)])
  await write(SHORT + 2, SHORT + 9, 'common')
  t.same([lengths(), await found()], [[[0, SHORT + 9]], ids(SHORT + 9)])
  await write(SHORT - 1, SHORT + 9, 'rare')
  t.same([lengths(), await found()], [[[SHORT - 2, null]], ids(SHORT - 2)])
  await write(SHORT - 1, SHORT + 9, 'common')
  await write(1, SHORT + 9, 'rare')
  t.same([lengths(), await found()], [[], []], 'none is left in either')
  t.same(
    texts.db.rows(
      "select count(*) from long_postings where word = (select id from words where word = 'common')",
    ),
    [[0]],
  )
})

t.test('a merge of events whose texts are not known pauses when its step was long enough', async (t) => {
  const texts = openTexts()
  t.teardown(() => texts.db.close())
  const folded = wordsOf(1, 400).join(' ')
  for (const id of [1, 2]) await texts.write(id, { folded, folded_title: '', password_hash: null })
  while ((await texts.merge()) > 0);
  const [[rows]] = texts.db.rows<[number]>('select count(*) from postings') as [[number]]
  t.ok(rows > 400, `${rows} rows of the index`)
  await texts.db.local(async (tx) => rebuildSearch(tx, { id: 1 }))
  // as if each question for the time came a millisecond later
  let milliseconds = 0
  t.intercept(performance, 'now', { value: () => milliseconds++ })
  let steps = 0
  const { merge } = openMerging({
    ...texts.db,
    local(work) {
      steps++
      return texts.db.local(work)
    },
  })
  while ((await merge()) > 0);
  // the index is gone through twice: to forget what it has, and to add what the text says
  t.ok(steps > (2 * rows) / 4, `${steps} steps`)
  t.same([texts.waiting(), await texts.check()], [0, []])
})
