import { FACTS, SPAN_FACTS } from '../../../../schemas/facts.ts'
import { forbidden, refuse } from '../../../kernel/errors.ts'
import { findDated } from '../event-rows.ts'
import { datedFacts, pick, withFacts } from '../facts/facts.ts'
import type { Write } from '../write.ts'
import { changeThis } from './edits.ts'
import { findSeries, occurrencesOf, type Series } from './rows.ts'
import { checkSeries, createSeries, type Input } from './series.ts'

/** Creates a series with its dates. A translation takes the facts that it does not send from its original, with those of single dates. */
export async function createTranslated(w: Write, sent: Input): Promise<Series> {
  const input = await withFacts(w, 'series', sent, async (original, language) => {
    const series = await findSeries(w.tx, original.id)
    return datedFacts(w, series, language, series.row)
  })
  if (!input.start_date || !input.end_date || !input.recurrence) {
    refuse(await checkSeries(w, input))
    throw forbidden(true, 'add a translation to this series')
  }
  const made = await createSeries(w, input)
  if (sent.translation_of && !sent.recurrence && !sent.start_date)
    await takeDates(w, sent.translation_of, made)
  return made
}

/** Gives the dates of a series the facts in which those of its original differ from theirs. */
async function takeDates(w: Write, original: number, { post }: Series) {
  const own = await occurrencesOf(w.tx, post.id)
  for (const theirs of await occurrencesOf(w.tx, original)) {
    const names = namesOf(theirs.row.overrides)
    const date = own.find(({ row }) => row.recurrence_id === theirs.row.recurrence_id)
    if (names.length === 0 || date === undefined || theirs.post.status === 'trash') continue
    const facts = pick(await datedFacts(w, await findDated(w.tx, theirs.post), post.language), names)
    await changeThis({ ...w, given: {} }, date, facts)
  }
}

/** The facts among the overrides of a date, with all that says when it takes place. */
const namesOf = (overrides: string[]): string[] =>
  [...FACTS.event, 'categories', 'tags'].filter(
    (name) =>
      overrides.includes(name) ||
      (overrides.some((one) => SPAN_FACTS.includes(one)) && SPAN_FACTS.includes(name)),
  )
