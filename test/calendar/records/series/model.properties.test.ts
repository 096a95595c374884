import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { openDice } from '../../../../bench/seed/random.ts'
import { type Answer, type Api, build } from '../../../support/app.ts'
import { DAY, type Member, minutesOf, openModel, printed, printedId, type Single } from './model.ts'
import { MEMBER, openEdits, type Step } from './model-edits.ts'

type Row = [number, number, string, string, string, string, string, string, string, number, string, number]
const ROWS = `select o.post_id, o.series_id, o.recurrence_id, o.overrides, p.status, coalesce(p.untrashed_slug, p.slug),
  p.title, e.start_date, e.end_date, e.featured, e.timezone, e.all_day from occurrences o join posts p on p.id = o.post_id
  join events e using (post_id) where o.series_id in (select value from json_each(?))`
const SINGLES = `select p.title, e.start_date, e.end_date, e.featured, e.timezone, e.all_day, p.parent_id from posts p
  join events e on e.post_id = p.id where p.id = ?`
const SERIES_ROW = 'select rrule, rdate, exdate from series where post_id = ?'

/** What is stored of an event that shows this. */
function shownOf({ title, start, length, featured, zone, allDay }: Single) {
  const end = allDay ? `${printedId(start + length - DAY, true)} 23:59:59` : printed(start + length)
  return [title, printed(start), end, Number(featured), zone, Number(allDay)]
}

/** Runs one random sequence of edits against the model; returns the first difference. */
async function runSequence(
  { app, editor }: Pick<Api, 'app' | 'editor'>,
  seed: number,
  edits: number,
): Promise<{ difference?: string; log: string[] }> {
  const dice = openDice(seed)
  const model = openModel()
  const slugs = new Map<number, string>()
  const log: string[] = []
  const { rows } = app.store.db
  const latest = () => rows<[number]>('select coalesce(max(seq), 0) from changes')[0]![0]
  const seriesOf = (id: number) =>
    rows<[number]>('select series_id from occurrences where post_id = ?', id)[0]?.[0] ?? 0
  const stateOf = () =>
    new Map(
      [...model.dates].map(([id, date]) => {
        const { series, id: at, own, isTrash } = date
        return [
          id,
          JSON.stringify([series, at, Object.keys(own).sort(), isTrash, isTrash || model.shown(date)]),
        ]
      }),
    )
  let before = stateOf()
  let seq = latest()

  /** Events of dates that the model has none of yet become these. */
  function meet(): string | undefined {
    for (const [id, { allDay }] of model.series) {
      const missing = new Set(model.settle(id))
      for (const [post, , recurrence] of rows<Row>(ROWS, JSON.stringify([id]))) {
        const at = minutesOf(recurrence)
        if (model.dates.has(post) || !missing.delete(at)) continue
        model.dates.set(post, { series: id, id: at, own: {}, isTrash: false })
      }
      if (missing.size > 0)
        return `no event for ${[...missing].map((at) => printedId(at, allDay))} of series ${id}: ${rows(SERIES_ROW, id)}`
    }
    return undefined
  }
  function compareDate(row: Row): string | undefined {
    const [id, series, recurrence, overrides, status, slug, ...has] = row
    const date = model.dates.get(id)
    if (!date)
      return `event ${id} of ${recurrence} is one too many in series ${series}: ${rows(SERIES_ROW, series)}`
    const own = Object.keys(date.own)
      .filter((name) => name in MEMBER)
      .map((name) => MEMBER[name as Member])
    const { allDay } = model.series.get(date.series)!
    const is = [series, recurrence, JSON.parse(overrides).sort(), status === 'trash']
    const should = [date.series, printedId(date.id, allDay), own.sort(), date.isTrash]
    if (!isDeepStrictEqual(is, should))
      return `event ${id}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}: ${rows(SERIES_ROW, series)}`
    // the slug of what is in the trash is free, and another may have taken it
    const known = slugs.get(id) ?? slug
    if (
      known !== slug &&
      rows('select 1 from posts where id <> ? and coalesce(untrashed_slug, slug) = ?', id, known).length === 0
    )
      return `event ${id} has the slug ${slug}, not ${known}`
    slugs.set(id, slug)
    const wants = shownOf(model.shown(date))
    if (!date.isTrash && !isDeepStrictEqual(has, wants))
      return `event ${id}: ${JSON.stringify(has)}, not ${JSON.stringify(wants)}`
    return undefined
  }
  /** Compares what was written with what differs in the model; `touched` is an event that is written in any case. */
  function compareWrites(touched?: number): string | undefined {
    const after = stateOf()
    const wrote = new Set(
      rows<[number]>(
        "select record_id from changes where seq > ? and kind = 'event' and operation <> 'refresh'",
        seq,
      ).flat(),
    )
    for (const [id, state] of after)
      if (id !== touched && wrote.has(id) !== (state !== before.get(id)))
        return `event ${id} was ${wrote.has(id) ? '' : 'not '}written: ${before.get(id)} is ${state}`
    before = after
    seq = latest()
    return undefined
  }
  function compare(touched?: number): string | undefined {
    const missing = meet()
    if (missing !== undefined) return missing
    const stored = rows<Row>(ROWS, JSON.stringify([...model.series.keys()]))
    for (const row of stored) {
      const difference = compareDate(row)
      if (difference !== undefined) return difference
    }
    if (stored.length !== model.dates.size) return `${stored.length} events, not ${model.dates.size}`
    for (const [id, single] of model.singles) {
      const [has] = rows(SINGLES, id)
      const wants = [...shownOf(single), null]
      if (!isDeepStrictEqual(has, wants))
        return `single ${id}: ${JSON.stringify(has)}, not ${JSON.stringify(wants)}`
    }
    return compareWrites(touched)
  }

  async function take({
    method,
    path,
    body,
    expected = 200,
    touched,
    apply,
  }: Step): Promise<string | undefined> {
    const send = { POST: editor.post, PATCH: editor.patch, DELETE: editor.delete }[method]
    const answer: Answer = await send(path, body)
    log.push(`${method} ${path} ${body ? JSON.stringify(body) : ''}: ${answer.status}`)
    if (answer.status !== expected) return `${answer.status}, not ${expected}: ${answer.text}`
    if (answer.status < 300) apply(answer.body)
    return compare(answer.status === 201 ? answer.body.id : touched)
  }

  const { first, next } = openEdits(dice, model, seriesOf)
  let difference = await take(first())
  for (let at = 0; at < edits && difference === undefined; at++) {
    const step = next()
    if (step) difference = await take(step)
  }
  return { ...(difference !== undefined && { difference }), log }
}

/** Sequences of edits, from a seed on: npm run bench:series-model runs 5,000. */
const SEQUENCES = Number(process.env.SERIES_SEQUENCES ?? 200)
const FIRST = Number(process.env.SERIES_FIRST ?? 1)
const EDITS = 8

t.test('random edits leave the dates that series and rules by definition have', async (t) => {
  const api = await build(t, { env: { SERIES_DAYS: '3650', RATE_LIMIT: '1000000' } })
  for (let seed = FIRST; seed < FIRST + SEQUENCES; seed++) {
    const { difference, log } = await runSequence(api, seed, EDITS)
    if (difference !== undefined) t.fail(`seed ${seed}: ${difference}\n${log.join('\n')}`)
  }
  t.pass(`${SEQUENCES} sequences`)
})
