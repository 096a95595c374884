import t from 'tap'
import { Search } from '../../../schemas/common.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { hasManyWords, MOST_WORDS, readSearch, readWords } from '../../../src/kernel/text/search.ts'
import { fold } from '../../../src/kernel/text/text.ts'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** Titles with descriptions, of many scripts; a title is one word, so that lists of them can be told apart. */
const TEXTS: Record<string, string> = {
  'Jazz-Matinée': 'An old quartet, at 8 p.m.',
  Rock: 'ba bab abba "loud" 100% live_now',
  日本音楽祭: '東京で行われる音楽',
  Ελληνικός: 'χορός στην πλατεία',
  '🎷🎺': 'brass 👩‍👩‍👧 and more 🎷',
  été: "a%b_c\\d 'e' (f) [g] * AND OR NOT \"",
  żółć: 'ß straße œuvre',
  Col·legi: 'intel·ligent',
}
const folded = (title: string) => fold(`${title}\n${TEXTS[title]}`)

for (const isMerged of [false, true])
  t.test(
    `every piece of every text is found where it stands, and nowhere else: ${isMerged ? 'by the index' : 'by reading'}`,
    async (t) => {
      const { store, editor, anonymous } = await openRecords(t)
      for (const [title, description] of Object.entries(TEXTS))
        await must(editor.create('event', { ...EVENT, title, description }))
      if (isMerged) t.equal(await store.words.merge(), Object.keys(TEXTS).length)
      const list = async (search: string) =>
        shown(await anonymous.list('event', `search=${encodeURIComponent(search)}&per_page=50`))
      const having = (condition: (text: string) => boolean) =>
        Object.keys(TEXTS)
          .filter((title) => condition(folded(title)))
          .join(' ')
      const pieces = new Set<string>()
      for (const title of Object.keys(TEXTS))
        for (const line of [title, TEXTS[title]!].map(fold)) {
          const characters = [...line]
          for (let length = 1; length <= 4; length++)
            for (let at = 0; at + length <= characters.length; at++) {
              const piece = characters.slice(at, at + length).join('')
              if (piece.trim() === piece && !/["-]/.test(piece)) pieces.add(piece)
            }
        }
      t.ok(pieces.size > 300)
      for (const piece of pieces) {
        const right = having((text) => text.includes(piece))
        if ((await list(`"${piece}"`)) !== right) t.equal(await list(`"${piece}"`), right, piece)
      }
      for (const [search, condition] of [
        ['a ba', (text) => text.includes('a') && text.includes('ba')],
        ['a quartet', (text) => text.includes('a') && text.includes('quartet')],
        ['qu quartet 8', (text) => text.includes('quartet') && text.includes('8')],
        ['-a', (text) => !text.includes('a')],
        ['-a -音', (text) => !text.includes('a') && !text.includes('音')],
        ['-quartet -音楽', (text) => !text.includes('quartet') && !text.includes('音楽')],
        ['a -quartet', (text) => text.includes('a') && !text.includes('quartet')],
        ['-ba -音楽祭 a', (text) => text.includes('a') && !text.includes('ba') && !text.includes('音楽祭')],
        ...['collegi', 'Col·legi', 'col.legi', 'coŀlegi intel.lig'].map((search) => [
          search,
          (text: string) => text.includes('collegi'),
        ]),
        ['zy', () => false],
        ['z', (text) => text.includes('z')],
        ['-zy', () => true],
        ['ÉT', (text) => text.includes('et')],
        ['"*"', (text) => text.includes('*')],
        ["'", (text) => text.includes("'")],
        ['AND', (text) => text.includes('and')],
        ['"or" NOT', (text) => text.includes('or') && text.includes('not')],
      ] as [string, (text: string) => boolean][])
        t.equal(await list(search), having(condition), search)
    },
  )

for (const isMerged of [false, true])
  t.test(
    `what a password protects is found by those who may edit it, the title by all: ${isMerged ? 'by the index' : 'by reading'}`,
    async (t) => {
      const calendar = await openRecords(t)
      const events: { title: string; author: string; status: string }[] = []
      for (const author of ['contributor', 'author', 'editor'] as const)
        for (const status of ['publish', 'draft'] as const) {
          const body = { ...EVENT, title: `${author}-${status}`, description: 'Zebra', password: 'x', status }
          const { id } = await must(calendar[author].create('event', body))
          // contributors do not publish; an editor does it for them
          if (author === 'contributor') await must(calendar.editor.change('event', id, { status }))
          events.push({ title: body.title, author, status })
        }
      await must(calendar.editor.create('event', { ...EVENT, title: 'open', description: 'Zebra' }))
      if (isMerged) t.equal(await calendar.store.words.merge(), 7)
      const edits = (who: string, { author, status }: (typeof events)[number]) =>
        ['editor', 'administrator'].includes(who) ||
        (who === author && (who === 'author' || (who === 'contributor' && status === 'draft')))
      const reads = (who: string, event: (typeof events)[number]) =>
        event.status === 'publish' ||
        ['editor', 'administrator'].includes(who) ||
        (who === event.author && who !== 'subscriber')
      for (const who of [...ROLES, 'anonymous'] as const) {
        const list = async (search: string) =>
          shown(await calendar[who].list('event', `search=${encodeURIComponent(search)}&per_page=50`))
        const mine = events.filter((event) => reads(who, event))
        const titles = (some: typeof events) => some.map(({ title }) => title).join(' ')
        for (const word of ['zebra', 'ze', 'z'])
          t.equal(
            await list(word),
            `${titles(mine.filter((event) => edits(who, event)))} open`.trim(),
            `${who} searches ${word}`,
          )
        for (const word of ['-zebra', '-ze', '-z'])
          t.equal(await list(word), titles(mine.filter((event) => !edits(who, event))), `${who}: ${word}`)
        for (const word of ['author-publish', '"r-"', 'publish or'])
          t.match(await list(word), /\bauthor-publish\b/, `${who} searches the title by ${word}`)
      }
    },
  )

t.test('what is kept of a search follows texts, passwords, authors and statuses', async (t) => {
  const { store, editor, author, anonymous, ids } = await openRecords(t)
  const { id } = await must(editor.create('event', { ...EVENT, title: 'One', description: 'Zebra' }))
  await must(editor.create('event', { ...EVENT, title: 'Two', description: 'Zebra' }))
  const see = async () => {
    const shows: string[] = []
    for (const client of [anonymous, author, editor])
      for (const search of ['zebra', 'ze', '-zebra'])
        shows.push(shown(await client.list('event', `search=${search}`)))
    return shows.join(', ')
  }
  const both = 'One Two, One Two, '
  t.equal(await see(), [both, both, both].join(', '))
  const steps: [change: object, shows: string][] = [
    [{ password: 'x' }, `Two, Two, One, Two, Two, One, ${both}`],
    [{ author: ids.author }, `Two, Two, One, ${both}, ${both}`],
    [{ description: 'Horse' }, 'Two, Two, One, Two, Two, One, Two, Two, One'],
    [{ title: 'Zebra' }, 'Zebra Two, Zebra Two, , Zebra Two, Zebra Two, , Zebra Two, Zebra Two, '],
    [{ title: 'One', description: 'Zebra', password: null }, [both, both, both].join(', ')],
    [{ status: 'draft' }, `Two, Two, , ${both}, ${both}`],
    [
      { status: 'publish', start_date: '2027-05-01', end_date: '2027-05-02' },
      'Two One, Two One, , '.repeat(3).slice(0, -2),
    ],
  ]
  for (const [change, shows] of steps) {
    await must(editor.change('event', id, change))
    t.equal(await see(), shows, JSON.stringify(change))
    await store.words.merge()
    t.equal(await see(), shows, `${JSON.stringify(change)}, indexed`)
  }
  await must(editor.remove('event', id, 'force=true'))
  t.equal(await see(), 'Two, Two, , '.repeat(3).slice(0, -2))
})

/** More than are looked through text by text. */
const MANY = 700
const LONG = 'a very long night at the opera'

t.test('a search among many events finds what their texts say', async (t) => {
  const { store, editor, author, anonymous } = await openRecords(t)
  const texts: { open: string; all: string }[] = []
  for (let at = 0; at < MANY; at++) {
    const title = at % 9 ? `Concert ${at}` : `Ball ${at}`
    const description = [
      at % 2 ? 'jazz' : LONG,
      at % 3 ? 'banana abcabcabcab' : `${LONG}s`,
      at % 5 ? 'ox' : 'ö',
    ].join(' ')
    const password = at % 50 === 0 ? 'x' : null
    // all have the tag; of those that are featured there is one
    const featured = at === 1
    await must(editor.create('event', { ...EVENT, title, description, password, featured, tags: ['all'] }))
    const all = fold(`${title}\n${description}`)
    texts.push({ all, open: password ? fold(title) : all })
    // the last ones stay to be read
    if (at === MANY - 100) await store.words.merge()
  }
  for (const search of [
    'concert',
    'concert jazz',
    'concert jazz o x',
    'o x',
    `"${LONG}"`,
    `"${LONG}s"`,
    `-"${LONG}s"`,
    `-"${LONG}" -o`,
    'abcabcabcab',
    '-abcabcabcab concert',
    '-jazz -banana -x',
    'jazz -ox -ball',
    'ball -1 -2',
    'nothing concert',
    'concert -o',
    'opera concert "at the" -7',
    '"concert 69" jazz',
  ]) {
    const { wanted, unwanted } = readSearch(search)
    const right = (text: string) =>
      wanted.every((word) => text.includes(word)) && !unwanted.some((word) => text.includes(word))
    const total = async (client: typeof editor, more = '') =>
      (await client.list('event', `search=${encodeURIComponent(search)}${more}`)).body.total
    t.equal(await total(anonymous), texts.filter(({ open }) => right(open)).length, search)
    t.equal(await total(author), texts.filter(({ open }) => right(open)).length, `${search}: an author`)
    t.equal(await total(anonymous, '&featured=true'), right(texts[1]!.open) ? 1 : 0, `${search}: featured`)
    t.equal(
      await total(editor, '&tags=all'),
      texts.filter(({ all }) => right(all)).length,
      `${search}: with a tag`,
    )
    t.equal(await total(editor), texts.filter(({ all }) => right(all)).length, `${search}: an editor`)
  }
})

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}x`)

for (const [search, wanted, unwanted = ''] of [
  ['i '.repeat(400), 'i'],
  ['jazz JAZZ Jázz', 'jazz'],
  ['a jazz azz rock', 'jazz,rock'],
  ['"jazz club" jazz club rock', 'jazz club,rock'],
  ['-a -jazz -rock', '', 'a,rock'],
  ['jazz -jazz', 'jazz', 'jazz'],
  ['a\0b\u0085c', 'a,b,c'],
  ['"a\0\nb" "\0" \x01', 'a b'],
] as const)
  t.test(`${JSON.stringify(search.slice(0, 40))} asks for what is needed`, async (t) => {
    t.same(readSearch(search), {
      wanted: wanted.split(',').filter(Boolean),
      unwanted: unwanted.split(',').filter(Boolean),
    })
  })

t.test('words for venues and organizers are told apart likewise', async (t) => {
  t.same(readWords('Jazz-Club jazz, club\0rock'), ['jazz-club', 'rock'])
})

t.test('a search of more words than are looked for is refused, and told how many may be', async (t) => {
  const { anonymous } = await openRecords(t)
  t.match(Search('x', 'x').description, ` ${MOST_WORDS} `)
  t.notOk(hasManyWords(readSearch(words(MOST_WORDS).join(' '))))
  t.ok(hasManyWords(readSearch(`${words(MOST_WORDS).join(' ')} -other`)))
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const search = async (text: string) => anonymous.list(kind, `search=${encodeURIComponent(text)}`)
    t.equal((await search(words(MOST_WORDS).join(' '))).status, 200)
    t.equal(
      (await search(`${words(MOST_WORDS).join(' ')} word ord1x`)).status,
      200,
      'needless ones do not count',
    )
    const { status, body } = await search(words(MOST_WORDS + 1).join(' '))
    t.equal(status, 400)
    t.equal(body.code, 'rest_invalid_param')
    t.same(body.data.params, { search: 'must have at most 20 different words.' })
  }
})
