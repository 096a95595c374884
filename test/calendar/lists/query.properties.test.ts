import fc from 'fast-check'
import t from 'tap'
import { distance, errorsIn, hasTerm, readQuery, type Term } from '../../../src/kernel/text/search.ts'
import { fold } from '../../../src/kernel/text/text.ts'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

const SEED = 20_261_124
const WORDS = [
  'concert',
  'concerts',
  'música',
  'musica',
  'de',
  'la',
  'Girona',
  'gironella',
  'open-air',
  '音楽',
  'café',
  'l’auditori',
]
const TYPED = [...WORDS, 'concret', 'gironel', 'gironela', 'muzica', 'con', 'g', 'auditory', '音', 'zzzzz']
const LANGUAGES = ['en', 'ca'] as const

type Made = {
  title: string
  texts: string[]
  names: string[][]
  status: 'publish' | 'draft'
  language: (typeof LANGUAGES)[number]
  hidden: boolean
  locked: boolean
}

const words = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((all) => all.join(' '))
const place = fc.record({
  venue: words(2),
  city: fc.constantFrom('', 'Girona', 'Olot de Gironella'),
  status: fc.constantFrom('publish', 'publish', 'draft'),
})
const event = fc.record({
  description: words(4),
  ...{
    venue: fc.nat(2),
    organizer: fc.option(words(2)),
    category: fc.option(words(1)),
    tag: fc.option(words(1)),
  },
  ...{
    status: fc.constantFrom('publish', 'publish', 'publish', 'draft'),
    language: fc.constantFrom(...LANGUAGES),
  },
  ...{ hidden: fc.nat(5).map((one) => one === 0), locked: fc.nat(4).map((one) => one === 0) },
})
const query = fc
  .array(fc.tuple(fc.constantFrom('', '', '', '', '-'), fc.boolean(), fc.constantFrom(...TYPED)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) =>
    parts.map(([minus, quoted, text]) => minus + (quoted && minus ? `"${text}"` : text)).join(' '),
  )

/** What a caller sees of an event, folded. */
const linesOf = ({ title, texts, names, locked }: Made, isEditor: boolean) =>
  [
    title,
    ...(locked && !isEditor
      ? []
      : [...texts, ...names.filter(([, status]) => isEditor || status !== 'draft').map(([name]) => name!)]),
  ].map(fold)

async function fill(
  { editor }: Records,
  places: { venue: string; city: string; status: string }[],
  events: Record<string, unknown>[],
) {
  const venues = []
  for (const one of places) venues.push((await must(editor.create('venue', one))).id)
  const made: Made[] = []
  for (const [at, one] of events.entries()) {
    const { description, venue, organizer, category, tag, status, language, hidden, locked } = one as Record<
      string,
      string
    > & { venue: number }
    const title = `e${at}`
    await must(
      editor.create('event', {
        ...{ ...EVENT, title, description, status, i18n_language: language, hide_from_listings: hidden },
        ...{ venue: venues[venue], ...(locked && { password: 'x' }) },
        ...(organizer && { organizer: { organizer } }),
        ...(category && { categories: [category] }),
        ...(tag && { tags: [tag] }),
      }),
    )
    const own = places[venue]!
    const linked = [
      [own.venue, own.status],
      [own.city, own.status],
      [organizer ?? ''],
      [category ?? ''],
      [tag ?? ''],
    ]
    made.push({
      title,
      texts: [description!],
      names: linked as string[][],
      status: status as 'draft',
      language: language as 'en',
      hidden: Boolean(hidden),
      locked: Boolean(locked),
    })
  }
  return { venues, made }
}

t.test('what is found is what the words say, for whoever asks, also after names change', async (t) => {
  const check = async (
    places: Parameters<typeof fill>[1],
    events: Parameters<typeof fill>[2],
    queries: string[],
    renamed: string,
  ) => {
    const calendar = await openRecords(t)
    const { venues, made } = await fill(calendar, places, events)
    const has = (lines: string[], term: Term) => lines.some((line) => hasTerm(line, term))
    const compare = async () => {
      for (const q of queries)
        for (const who of ['anonymous', 'editor'] as const)
          for (const language of [undefined, ...LANGUAGES]) {
            const isEditor = who === 'editor'
            const domain = made.filter(
              (one) =>
                !one.hidden &&
                (isEditor || one.status === 'publish') &&
                (language === undefined || one.language === language),
            )
            const found = await calendar[who].list(
              'event',
              `per_page=50&q=${encodeURIComponent(q)}${language ? `&i18n_language=${language}` : ''}`,
            )
            const terms = readQuery(q)
            if (terms.wanted.length + terms.unwanted.length === 0) continue
            const told = found.corrections!
            const occurs = (term: Term) => domain.some((one) => has(linesOf(one, isEditor), term))
            const at = JSON.stringify([
              q,
              who,
              language,
              JSON.stringify(found.body).slice(0, 200),
              [...told],
              places,
              events,
            ])
            for (const term of terms.wanted) {
              const taken = told.get(term.text)
              const isLost = !occurs(term) && errorsIn(term.text) > 0
              if (taken === undefined) continue
              if (
                !isLost ||
                !occurs({ text: taken, how: 'whole' }) ||
                distance(term.text, taken, errorsIn(term.text)) === undefined
              )
                throw new Error(`wrongly taken: ${at}`)
            }
            const wanted = terms.wanted.map((term) => ({ ...term, text: told.get(term.text) ?? term.text }))
            const right = domain
              .filter((one) => {
                const lines = linesOf(one, isEditor)
                return (
                  wanted.every((term) => has(lines, term)) && !terms.unwanted.some((term) => has(lines, term))
                )
              })
              .map(({ title }) => title)
              .sort()
              .join(' ')
            const titles = shown(found).split(' ').sort().join(' ')
            if (titles !== right) throw new Error(`${titles} instead of ${right}: ${at}`)
          }
    }
    await compare()
    const before = calendar.store.changes.latest().seq
    await must(calendar.editor.change('venue', venues[0], { venue: renamed }))
    const written = calendar.store.changes.rows(before, Number.MAX_SAFE_INTEGER, ['event'], 100)
    t.same(
      written.filter(({ operation }) => operation !== 'refresh'),
      [],
    )
    for (const one of made) {
      const [name] = one.names
      if (places[0] && events[made.indexOf(one)]!.venue === 0) name![0] = renamed
    }
    await compare()
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(place, { minLength: 3, maxLength: 3 }),
      fc.array(event, { minLength: 2, maxLength: 7 }),
      fc.array(query, { minLength: 3, maxLength: 5 }),
      words(2),
      check,
    ),
    { seed: SEED, numRuns: 6, endOnFailure: true },
  )
})
