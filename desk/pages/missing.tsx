import { w } from '../words/words.ts'

/** What an address without a page shows. */
export const Missing = () => (
  <>
    <h1>{w.not_found}</h1>
    <p>
      <a href="#/events">{w.to_events}</a>
    </p>
  </>
)
