/** What an editor has written and not saved, with the version that it was written on. */
export type Draft<T> = { base: T; form: T; etag: string | undefined }

const keyOf = (name: string) => `desk.draft.${name}`

/** Keeps what is not saved, for this tab: a reload finds it again, and it is gone with the tab or with signing out. */
export const keepDraft = <T>(name: string, draft: Draft<T>) =>
  sessionStorage.setItem(keyOf(name), JSON.stringify(draft))

/** What was kept; undefined if there is nothing. */
export function keptDraft<T>(name: string): Draft<T> | undefined {
  const text = sessionStorage.getItem(keyOf(name))
  return text === null ? undefined : JSON.parse(text)
}

/** Forgets what was kept. */
export const dropDraft = (name: string) => sessionStorage.removeItem(keyOf(name))
