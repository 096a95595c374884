import type { Test } from 'tap'
import { openMirror } from '../../src/features/imports/mirror/mirror.ts'
import type { Api } from './app.ts'
import { importer } from './importing.ts'

/** Milliseconds between two looks at a feed, and after which all of it is looked through. */
export const QUARTER = 15 * 60_000
export const DAY = 86_400_000
const GOES_ON = new AbortController().signal

/** A mirror of a feed that looks when it is told to; `heard` is what it told of single events. */
export function mirrorOf(t: Test, api: Api, address: string, more: { category?: string } = {}) {
  const clock = () => api.clock.now
  const heard: string[] = []
  const mirror = openMirror({
    ...{ store: api.app.store, pictures: importer(t, api).pictures, address, ...more },
    web: { fetch, clock, pause: async () => {}, userAgent: 'almanac-test' },
    onProblem: ({ name, why }) => void heard.push(`${name}: ${why}`),
  })
  return {
    ...{ mirror, heard },
    look: async (after = QUARTER) => {
      api.clock.now += after
      return mirror.poll(GOES_ON)
    },
  }
}
/** The events of a calendar. */
export const listOf = async ({ administrator }: Api, more = '') =>
  (await administrator.get(`/events?per_page=50&start_date=2000-01-01${more}`)).body.events
/** Their titles in order. */
export const titlesOf = async (api: Api, more?: string) =>
  (await listOf(api, more)).map(({ title }: { title: string }) => title).sort()
/** The titles of those in the trash. */
export const trashOf = async (api: Api) => titlesOf(api, '&status=trash')
