import type { Line, Store } from '../../calendar/store.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { VERSION } from '../../package.ts'

/** Where an export goes. */
export type Target = {
  /** Takes a line with its end. */
  write(text: string): Promise<unknown> | unknown
  /** Takes a file of a picture by its name; false if it is missing. */
  picture(name: string): Promise<boolean>
}
export type Exported = { counts: Record<Line['kind'], number>; files: number; missing: string[] }
type Progress = (done: number, total: number) => void

/** The version of the form of exports. */
export const FORM = 1

/**
 * Writes everything as JSON Lines: a line about the calendar, one for each user, picture, term, venue, organizer, series, event and revision,
 * and one that tells that the file is whole. Credentials, webhooks and the audit log are not part of it.
 */
export async function exportLines(
  store: Store,
  target: Target,
  progress: Progress = () => {},
): Promise<Exported> {
  const { zone: timezone, languages, currency, clock } = store.site
  const { logo_file: _, ...settings } = store.settings.chosen()
  const counts = store.transfer.count()
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const site_id = await store.identity()
  const exported_utc = toWall(clock(), 'UTC')
  const head = { kind: 'calendar', form: FORM, program: VERSION, exported_utc, site_id }
  await target.write(print({ ...head, timezone, languages, currency, settings, counts }))
  const done: Exported = { counts: { ...counts }, files: 0, missing: [] }
  for (const kind of Object.keys(counts) as Line['kind'][]) done.counts[kind] = 0
  let lines = 0
  await store.transfer.read(async (line, files) => {
    for (const name of files)
      if (await target.picture(name)) done.files++
      else done.missing.push(name)
    await target.write(print(line))
    done.counts[line.kind]++
    progress(++lines, total)
  })
  await target.write(print({ kind: 'end', lines }))
  return done
}

const print = (line: object) => `${JSON.stringify(line)}\n`
