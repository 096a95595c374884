import { send } from '../api/client.ts'
import { fill, type Words, w } from '../words/words.ts'
import { tell, tellFailure } from './notice.tsx'

/** Members whose names in words are others than their own. */
const NAMES: Record<string, keyof Words> = {
  ...{ start_date: 'start_of', end_date: 'length_of', password: 'visitor_password', organizer: 'organizers' },
  ...{ geo_lat: 'coordinates', geo_lng: 'coordinates' },
}

/** Members of records in words, as those in which a date differs from its series. */
export const membersText = (members: readonly string[]): string =>
  [...new Set(members.map((name) => w[NAMES[name] ?? (name as keyof Words)].toLocaleLowerCase()))].join(', ')

/** Gives a date back what its series says, if nobody has changed it since. */
export async function followSeries(id: number, match: string | undefined, done: () => void) {
  try {
    await send('PATCH', `/events/${id}`, { body: { overrides: [] }, match })
    tell({ text: w.follows_again })
  } catch (failure) {
    tellFailure(failure)
  }
  done()
}

/** What of a date differs from its series, with the way back. */
export const Differs = ({ overrides, back }: { overrides: readonly string[]; back: () => void }) => (
  <div class="notice differs" role="note">
    <p>{fill(w.differs_long, { members: membersText(overrides) })}</p>
    <button type="button" class="plain" onClick={back}>
      {w.back_to_series}
    </button>
  </div>
)
