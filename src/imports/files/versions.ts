import type { Store, Version, Write } from '../../store/store.ts'
import { byVersion } from './item.ts'

type InTransaction = Pick<Write, 'tx'>
/** A version of an event, or of a date of a series by its RECURRENCE-ID. */
export type Given = { id: number; version: Version | undefined; date?: string }

/** Remembers which versions of events were taken, so that an older file does not overwrite what a later one said. */
export function openVersions({ imports }: Pick<Store, 'imports'>) {
  return {
    /** Why a version is not to be written; undefined if it may be. One without a DTSTAMP is not older for that. */
    async whyLeft({ tx }: InTransaction, { id, version, date = '' }: Given): Promise<string | undefined> {
      const taken = version && (await imports.versions(tx, id))[date]
      if (!taken || byVersion(version, taken) >= 0) return undefined
      const at = version[0] === taken[0] ? 1 : 0
      if (version[at] === '') return undefined
      return `is older than what was taken before (${['SEQUENCE', 'DTSTAMP'][at]} ${version[at]}, before ${taken[at]})`
    },
    async note({ tx }: InTransaction, { id, version, date = '' }: Given): Promise<void> {
      if (!version) return
      const taken = await imports.versions(tx, id)
      if (String(taken[date]) !== String(version))
        await imports.noteVersions(tx, id, { ...taken, [date]: version })
    },
  }
}
export type Versions = ReturnType<typeof openVersions>
