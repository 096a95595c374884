import { SHARED_FIELDS, SPAN_FIELDS } from '../../../../schemas/shared-fields.ts'
import { forbidden, refuse } from '../../../kernel/errors.ts'
import { findStored } from '../event-rows.ts'
import { eventFields, pick, withInherited } from '../facts/facts.ts'
import type { Write } from '../write.ts'
import { changeThis } from './edits.ts'
import { findSeries, occurrencesOf, type Series } from './rows.ts'
import { checkSeries, insertSeries, type SeriesWrite } from './series.ts'

/** Creates a series with its dates. A translation takes the facts that it does not send from its original, with those of single dates. */
export async function createSeriesOrTranslation(w: Write, sent: SeriesWrite): Promise<Series> {
  const input = await withInherited(w, 'series', sent, async (original, language) => {
    const series = await findSeries(w.tx, original.id)
    return eventFields(w, series, language, series.row)
  })
  if (!input.start_date || !input.end_date || !input.recurrence) {
    refuse(await checkSeries(w, input))
    throw forbidden(true, 'add a translation to this series')
  }
  const made = await insertSeries(w, input)
  if (sent.translation_of && !sent.recurrence && !sent.start_date)
    await inheritOverrides(w, sent.translation_of, made)
  return made
}

/** Gives the dates of a series the facts in which those of its original differ from theirs. */
async function inheritOverrides(w: Write, original: number, { post }: Series) {
  const own = await occurrencesOf(w.tx, post.id)
  for (const theirs of await occurrencesOf(w.tx, original)) {
    const names = namesOf(theirs.row.overrides)
    const date = own.find(({ row }) => row.recurrence_id === theirs.row.recurrence_id)
    if (names.length === 0 || date === undefined || theirs.post.status === 'trash') continue
    const facts = pick(await eventFields(w, await findStored(w.tx, theirs.post), post.language), names)
    await changeThis({ ...w, given: {} }, date, facts)
  }
}

/** The facts among the overrides of a date, with all that says when it takes place. */
const namesOf = (overrides: string[]): string[] =>
  [...SHARED_FIELDS.event, 'categories', 'tags'].filter(
    (name) =>
      overrides.includes(name) ||
      (overrides.some((one) => SPAN_FIELDS.includes(one)) && SPAN_FIELDS.includes(name)),
  )
