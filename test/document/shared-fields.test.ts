import { readFileSync } from 'node:fs'
import t from 'tap'
import { EventInput, EventPassword } from '../../schemas/event.ts'
import { OrganizerInput } from '../../schemas/organizer.ts'
import { SeriesInput } from '../../schemas/series.ts'
import { SHARED_FIELDS, SHARED_IF_CHANGED } from '../../schemas/shared-fields.ts'
import { VenueInput } from '../../schemas/venue.ts'

const INPUTS = { event: EventInput, series: SeriesInput, venue: VenueInput, organizer: OrganizerInput }
/** What each record has of its own. Who adds a member says here or in `schemas/shared-fields.ts` which it is. */
const TEXTS = [
  ...[
    'title',
    'venue',
    'organizer',
    'author',
    'description',
    'slug',
    'excerpt',
    'event_status_reason',
    'password',
  ],
  ...['translation_of', 'recurrence', 'overrides', 'source', 'external_id'],
]

t.test('every member that is sent is a fact, or of one record alone', async (t) => {
  for (const [kind, { properties }] of Object.entries(INPUTS)) {
    const facts: readonly string[] = SHARED_FIELDS[kind as keyof typeof SHARED_FIELDS]
    const own: readonly string[] = SHARED_IF_CHANGED[kind as keyof typeof SHARED_IF_CHANGED]
    const names = Object.keys({ ...properties, ...EventPassword })
    const left = names.filter((name) => !facts.includes(name) && !own.includes(name))
    t.same(
      left.filter((name) => !TEXTS.includes(name)),
      [],
      kind,
    )
    t.same(
      [...facts, ...own].filter((name) => !names.includes(name)),
      [],
      kind,
    )
    t.equal(new Set([...facts, ...own]).size, facts.length + own.length, kind)
  }
})

t.test('the guide names the facts of each kind', async (t) => {
  const guide = readFileSync(new URL('../../docs/guides/translations.md', import.meta.url), 'utf8')
  const rowOf = (kind: string) => guide.split('\n').find((line) => line.startsWith(`| ${kind} |`))!
  const wordsOf = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
  for (const [kind, row] of Object.entries({ event: 'events', venue: 'venues', organizer: 'organizers' })) {
    const [, , facts, own] = rowOf(row).split('|')
    t.same(wordsOf(facts!), SHARED_FIELDS[kind as 'event'], row)
    t.same(wordsOf(own!), SHARED_IF_CHANGED[kind as 'event'], row)
  }
  t.match(rowOf('series'), /those of events, and `recurrence` in place of `post_parent`/)
  const others = SHARED_FIELDS.event.filter((name) => name !== 'post_parent')
  t.same(SHARED_FIELDS.series, [...others, 'recurrence'])
})
