/** What an editor has written and not saved, with the version that it was written on. */
export type Draft<T> = { base: T; form: T; etag: string | undefined }
/** A draft in the list of those that a user has: where it was written, what it is about, and since when it has been as it is, in UTC. */
export type Listed = { name: string; place: string; title: string; since: string }

const PREFIX = 'desk.draft.'
const keyOf = (name: string) => PREFIX + name
/** How long a draft is kept: nobody knows any more what an older one was for. */
const LASTS = 30 * 86_400_000

const utcOf = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ')

type Kept = Draft<Record<string, unknown>> & Omit<Listed, 'name'>

/** The members of forms that say what a record is called. */
const NAMES = ['title', 'venue', 'organizer', 'name']
const nameIn = (form: Record<string, unknown>) =>
  NAMES.map((member) => form[member]).find((text): text is string => typeof text === 'string' && text !== '')

/** Keeps what is not saved in this browser, for its user: closing the window and signing out do not lose it. The name begins with the ID of the user. */
export function keepDraft<T extends object>(name: string, draft: Draft<T>) {
  const title = nameIn(draft.form as Record<string, unknown>) ?? ''
  const about = { place: location.hash, title, since: utcOf(Date.now()) }
  try {
    localStorage.setItem(keyOf(name), JSON.stringify({ ...draft, ...about }))
  } catch {
    // a browser that has no room keeps it on the page alone
  }
}

function find(key: string): Kept | undefined {
  const text = localStorage.getItem(key)
  const found: Kept | undefined = text === null ? undefined : JSON.parse(text)
  if (!found || found.since > utcOf(Date.now() - LASTS)) return found
  localStorage.removeItem(key)
  return undefined
}

/** What was kept; undefined if there is nothing. */
export const keptDraft = <T>(name: string) => find(keyOf(name)) as Draft<T> | undefined

/** Forgets what was kept. */
export const dropDraft = (name: string) => localStorage.removeItem(keyOf(name))

/** The drafts of a user, the latest first. */
export function draftsOf(user: number): Listed[] {
  const mine = Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${user}.`))
  return mine
    .flatMap((key) => {
      const found = find(key)
      if (!found) return []
      const { place, title, since } = found
      return [{ name: key.slice(PREFIX.length), place, title, since }]
    })
    .toSorted((a, b) => b.since.localeCompare(a.since))
}
