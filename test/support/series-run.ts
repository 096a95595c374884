import { isDeepStrictEqual } from 'node:util'
import type { Api } from './app.ts'
import {
  type Edit,
  given,
  hasBefore,
  type Member,
  type Minutes,
  minutesOf,
  openModel,
  printed,
  type Rule,
  written,
} from './series-model.ts'

/** Numbers that look random, the same for a seed. */
export function openDice(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, one: <T>(of: readonly T[]): T => of[below(of.length)]!, chance: (p: number) => next() < p }
}
type Dice = ReturnType<typeof openDice>

const MEMBER: Record<Member, string> = {
  ...{ title: 'title', website: 'website', featured: 'featured', length: 'end_date', start: 'start_date' },
}
const MEMBERS = Object.keys(MEMBER) as Member[]
const DAY = 1_440
/** Days before the clocks of Madrid change, in spring and in autumn of 2027. */
const BEGINS = ['2027-03-15', '2027-10-18']

function randomRule(dice: Dice, start: Minutes): Rule {
  const first = Math.floor(start / DAY)
  const freq = dice.one(['DAILY', 'WEEKLY', 'WEEKLY', 'MONTHLY'] as const)
  const own = (first + 3) % 7
  const days = [0, 1, 2, 3, 4, 5, 6].filter((day) => day === own || dice.chance(0.25))
  const rule = { freq, interval: 1 + dice.below(3), days: freq === 'WEEKLY' ? days : [] }
  return dice.chance(0.5)
    ? { ...rule, count: 2 + dice.below(6) }
    : { ...rule, until: first + { DAILY: 6, WEEKLY: 20, MONTHLY: 120 }[freq] + dice.below(3) }
}

type Row = [number, number, string, string, string, string, string, string, string, number]
const ROWS = `select o.post_id, o.series_id, o.recurrence_id, o.overrides, p.status, coalesce(p.untrashed_slug, p.slug),
  p.title, e.start_date, e.end_date, e.featured from occurrences o join posts p on p.id = o.post_id join events e using (post_id)
  where o.series_id in (select value from json_each(?))`

/** Runs one random sequence of edits against the model; returns the first difference. */
export async function runSequence(
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
  const stateOf = () =>
    new Map(
      [...model.dates].map(([id, date]) => [
        id,
        JSON.stringify([
          date.series,
          date.id,
          Object.keys(date.own).sort(),
          date.isTrash,
          date.isTrash || model.shown(date),
        ]),
      ]),
    )
  let before = stateOf()
  let seq = latest()

  /** Compares what is stored with the model; `touched` is an event that is written in any case. */
  function compare(touched?: number): string | undefined {
    for (const id of model.series.keys()) {
      const missing = new Set(model.settle(id))
      for (const [post, , recurrence] of rows<Row>(ROWS, JSON.stringify([id]))) {
        const at = minutesOf(recurrence)
        if (model.dates.has(post) || !missing.delete(at)) continue
        model.dates.set(post, { series: id, id: at, own: {}, isTrash: false })
      }
      if (missing.size > 0) return `no event for ${[...missing].map(printed)} of series ${id}`
    }
    const stored = rows<Row>(ROWS, JSON.stringify([...model.series.keys()]))
    if (stored.length !== model.dates.size) return `${stored.length} events, not ${model.dates.size}`
    for (const [id, series, recurrence, overrides, status, slug, title, start, end, featured] of stored) {
      const date = model.dates.get(id)
      if (!date) return `event ${id} of ${recurrence} is one too many`
      const own = Object.keys(date.own).map((name) => MEMBER[name as Member])
      const is = [series, recurrence, JSON.parse(overrides).sort(), status === 'trash']
      const should = [date.series, printed(date.id), own.sort(), date.isTrash]
      if (!isDeepStrictEqual(is, should))
        return `event ${id}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`
      // the slug of what is in the trash is free, and another may have taken it
      const known = slugs.get(id) ?? slug
      if (known !== slug && !stored.some(([other, , , , , taken]) => other !== id && taken === known))
        return `event ${id} has the slug ${slug}, not ${known}`
      slugs.set(id, slug)
      const shown = model.shown(date)
      const has = [title, start, end, featured]
      const wants = [
        shown.title,
        printed(shown.start),
        printed(shown.start + shown.length),
        Number(shown.featured),
      ]
      if (!date.isTrash && !isDeepStrictEqual(has, wants))
        return `event ${id}: ${JSON.stringify(has)}, not ${JSON.stringify(wants)}`
    }
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

  const bodyOf = (edit: Edit, at: { start: Minutes; length: number }) => {
    const { start, length, ...rest } = edit
    const from = start ?? at.start
    return {
      ...rest,
      ...(start !== undefined && { start_date: printed(start) }),
      ...((start !== undefined || length !== undefined) && {
        end_date: printed(from + (length ?? at.length)),
      }),
    }
  }
  function randomEdit(base: Minutes): Edit {
    const edit: Edit = {}
    if (dice.chance(0.4)) edit.title = dice.one(['Choir', 'Rehearsal', 'Concert'])
    if (dice.chance(0.2)) edit.featured = dice.chance(0.5)
    if (dice.chance(0.3)) edit.length = dice.one([60, 90, 120])
    if (dice.chance(0.3)) edit.start = Math.floor(base / DAY) * DAY + dice.one([10, 14, 18]) * 60
    return Object.keys(edit).length > 0 ? edit : { title: dice.one(['Choir', 'Walk']) }
  }
  const start = minutesOf(`${dice.one(BEGINS)} 18:00:00`) + dice.below(12) * DAY
  const rule = randomRule(dice, start)
  const first = { title: 'Choir', website: '', featured: false, length: 120 }
  const made = await editor.post('/events', {
    ...bodyOf({ start, ...first }, { start, length: 120 }),
    timezone: 'Europe/Madrid',
    recurrence: { rrule: written(rule) },
  })
  log.push(`${printed(start)} ${written(rule)}: ${made.status}`)
  if (made.status !== 201) return { difference: made.text, log }
  model.series.set(made.body.series, {
    ...{ ...first, start, rule, rdate: new Set(), exdate: new Set(), isTrash: false },
  })
  model.dates.set(made.body.id, { series: made.body.series, id: start, own: {}, isTrash: false })
  let difference = compare(made.body.id)

  for (let at = 0; at < edits && difference === undefined; at++) {
    const [id, date] = dice.one([...model.dates])
    const of = dice.one([...model.series.keys()])
    const series = model.series.get(date.series)!
    const shown = model.shown(date)
    let expected = 200
    let touched: number | undefined
    const tell = (what: string) => log.push(what)
    const kind = dice.below(12)
    let answer: { status: number; text: string; body: { series?: number } } | undefined
    if (kind <= 6 && date.isTrash) {
      touched = id
      answer = await editor.patch(`/events/${id}`, { status: 'publish' })
      tell(`restore ${id} of ${printed(date.id)}: ${answer.status}`)
      if (series.isTrash) expected = 400
      else model.restore(id)
    } else if (kind <= 3) {
      const edit = randomEdit(date.id)
      const range = dice.one(['this', 'this', 'following', 'all'])
      const body = bodyOf(edit, shown)
      if (range === 'this') touched = id
      // a start is sent with an end, and so with a length
      if (edit.start !== undefined) edit.length ??= shown.length
      answer = await editor.patch(`/events/${id}?apply_to=${range}`, body)
      tell(`${range} ${id} of ${printed(date.id)} ${JSON.stringify(body)}: ${answer.status}`)
      if (range === 'this') model.changeThis(id, edit)
      if (range === 'following' && hasBefore(series, date.id)) {
        const [[next] = [0]] = rows<[number]>('select series_id from occurrences where post_id = ?', id)
        model.fork(id, next)
      }
      if (range !== 'this') model.changeAll(id, edit)
    } else if (kind <= 5) {
      const range = dice.one(['this', 'this', 'following', 'all'])
      answer = await editor.delete(`/events/${id}?apply_to=${range}`)
      tell(`delete ${range} ${id} of ${printed(date.id)}: ${answer.status}`)
      if (range === 'this') series.exdate.add(date.id)
      if (range === 'following') model.deleteFollowing(id)
      if (range === 'all') series.isTrash = true
    } else if (kind === 6) {
      const kept = MEMBERS.filter(() => dice.chance(0.3))
      touched = id
      answer = await editor.patch(`/events/${id}`, { overrides: kept.map((name) => MEMBER[name]) })
      tell(`overrides of ${id}: ${kept}: ${answer.status}`)
      for (const name of MEMBERS) if (!kept.includes(name)) delete date.own[name]
    } else {
      const own = model.series.get(of)!
      if (own.isTrash) {
        answer = await editor.patch(`/series/${of}`, { status: 'publish' })
        tell(`restore series ${of}: ${answer.status}`)
        own.isTrash = false
      } else if (kind === 7) {
        answer = await editor.delete(`/series/${of}`)
        tell(`delete series ${of}: ${answer.status}`)
        own.isTrash = true
      } else if (kind <= 9) {
        const rule = randomRule(dice, own.start)
        answer = await editor.patch(`/series/${of}`, { recurrence: { rrule: written(rule) } })
        tell(`series ${of} ${written(rule)}: ${answer.status}`)
        model.repeat(of, rule)
      } else if (given(own).size > 0) {
        const edit = randomEdit(own.start)
        const body = bodyOf(edit, own)
        answer = await editor.patch(`/series/${of}`, body)
        tell(`series ${of} ${JSON.stringify(body)}: ${answer.status}`)
        model.change(of, edit)
      } else continue
    }
    difference = answer!.status === expected ? compare(touched) : `${answer!.status}: ${answer!.text}`
  }
  return { ...(difference !== undefined && { difference }), log }
}
