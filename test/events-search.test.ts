import t from 'tap'
import { ROLES } from '../src/rules/roles.ts'
import { fold } from '../src/rules/text.ts'
import { build, EVENT } from './support/app.ts'
import { must, shown } from './support/events.ts'

/** Titles with descriptions, of many scripts; a title is one word, so that lists of them can be told apart. */
const TEXTS: Record<string, string> = {
  'Jazz-Matinée': 'An old quartet, at 8 p.m.',
  Rock: 'ba bab abba "loud" 100% live_now',
  日本音楽祭: '東京で行われる音楽',
  Ελληνικός: 'χορός στην πλατεία',
  '🎷🎺': 'brass 👩‍👩‍👧 and more 🎷',
  été: "a%b_c\\d 'e' (f) [g] * AND OR NOT \"",
  żółć: 'ß straße œuvre',
}
const folded = (title: string) => fold(`${title}\n${TEXTS[title]}`)

t.test('every piece of every text is found where it stands, and nowhere else', async (t) => {
  const { editor, anonymous } = await build(t)
  for (const [title, description] of Object.entries(TEXTS))
    await must(editor.post('/events', { ...EVENT, title, description }))
  const list = async (search: string) =>
    shown(await anonymous.get(`/events?search=${encodeURIComponent(search)}&per_page=50`))
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
})

t.test('what a password protects is found by those who may edit it, the title by all', async (t) => {
  const api = await build(t)
  const events: { title: string; author: string; status: string }[] = []
  for (const author of ['contributor', 'author', 'editor'] as const)
    for (const status of ['publish', 'draft'] as const) {
      const body = { ...EVENT, title: `${author}-${status}`, description: 'Zebra', password: 'x', status }
      const { id } = await must(api[author].post('/events', body))
      // contributors do not publish; an editor does it for them
      if (author === 'contributor') await must(api.editor.patch(`/events/${id}`, { status }))
      events.push({ title: body.title, author, status })
    }
  await must(api.editor.post('/events', { ...EVENT, title: 'open', description: 'Zebra' }))
  const edits = (who: string, { author, status }: (typeof events)[number]) =>
    ['editor', 'administrator'].includes(who) ||
    (who === author && (who === 'author' || (who === 'contributor' && status === 'draft')))
  const reads = (who: string, event: (typeof events)[number]) =>
    event.status === 'publish' ||
    ['editor', 'administrator'].includes(who) ||
    (who === event.author && who !== 'subscriber')
  for (const who of [...ROLES, 'anonymous'] as const) {
    const list = async (search: string) =>
      shown(await api[who].get(`/events?search=${encodeURIComponent(search)}&per_page=50`))
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
})

t.test('what is kept of a search follows texts, passwords, authors and statuses', async (t) => {
  const { editor, author, anonymous, credentials } = await build(t)
  const { id } = await must(editor.post('/events', { ...EVENT, title: 'One', description: 'Zebra' }))
  await must(editor.post('/events', { ...EVENT, title: 'Two', description: 'Zebra' }))
  const see = async () => {
    const shows: string[] = []
    for (const client of [anonymous, author, editor])
      for (const search of ['zebra', 'ze', '-zebra'])
        shows.push(shown(await client.get(`/events?search=${search}`)))
    return shows.join(', ')
  }
  const both = 'One Two, One Two, '
  t.equal(await see(), [both, both, both].join(', '))
  const steps: [change: object, shows: string][] = [
    [{ password: 'x' }, `Two, Two, One, Two, Two, One, ${both}`],
    [{ author: credentials.author.id }, `Two, Two, One, ${both}, ${both}`],
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
    await must(editor.patch(`/events/${id}`, change))
    t.equal(await see(), shows, JSON.stringify(change))
  }
  await must(editor.delete(`/events/${id}?force=true`))
  t.equal(await see(), 'Two, Two, , '.repeat(3).slice(0, -2))
})
