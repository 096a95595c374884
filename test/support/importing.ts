import { join } from 'node:path'
import type { Test } from 'tap'
import { openMediaFolder } from '../../src/calendar/media/folder.ts'
import { openPictures } from '../../src/calendar/media/pictures.ts'
import { openMirror } from '../../src/features/imports/mirror/mirror.ts'
import { importCalendar, type SiteImportOptions } from '../../src/features/imports/site/site-import.ts'
import { findRoot, readRoot } from '../../src/features/imports/site/source.ts'
import { openWeb, type WebOptions } from '../../src/features/imports/site/web.ts'
import { type Api, build } from './app.ts'
import { LOCAL } from './pictures.ts'
import { freePort } from './ports.ts'
import { until } from './until.ts'

export const DAY = 86_400_000

/** A calendar at an address of this machine, where others can read it. */
export async function buildSource(t: Test, env: Record<string, string> = {}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const media = join(t.testdirName, 'media-there')
  const api = await build(t, { env: { BASE_URL: url, MEDIA_DIR: media, ...env } })
  await api.app.listen({ port, host: '127.0.0.1' })
  return { ...api, url, root: `${url}/calendar/events/v1`, media }
}

/** What a test imports with: the pauses that were asked for, and the addresses that were asked. */
export function importer(t: Test, api: Api) {
  const told = {
    pauses: [] as number[],
    asked: [] as string[],
    statuses: [] as number[],
    progress: [] as number[][],
  }
  const pictures = openPictures(api.app.store.media, {
    folder: openMediaFolder(join(t.testdirName, 'media')),
    base: 'http://calendar.test',
    clock: () => api.clock.now,
    download: LOCAL,
  })
  const web: WebOptions = {
    fetch: async (url, init) => {
      told.asked.push(String(url))
      const answer = await fetch(url, init)
      told.statuses.push(answer.status)
      return answer
    },
    clock: () => api.clock.now,
    pause: async (milliseconds) => void told.pauses.push(milliseconds),
    userAgent: 'almanac-test',
  }
  return {
    ...told,
    pictures,
    /** Imports from an address, a day after the last time. */
    async take(
      address: string,
      { as, ...options }: SiteImportOptions & { as?: string } = {},
      more: Partial<WebOptions> = {},
    ) {
      for (const list of [told.pauses, told.asked, told.statuses, told.progress]) list.splice(0)
      api.clock.now += DAY
      const whole = { ...web, ...more, ...(as !== undefined && { authorization: as }) }
      const { id } = api.credentials.administrator
      return importCalendar(
        {
          ...{
            store: api.app.store,
            pictures,
            web: whole,
            root: await findRoot(openWeb(whole), readRoot(address)),
          },
          writer: {
            caller: { id, role: 'administrator' },
            by: { origin: 'command', address: 'test' },
            language: 'en',
          },
          progress: (done, total) => void told.progress.push([done, total]),
        },
        options,
      )
    },
  }
}

/** Everything that a calendar shows of its records, without what says where and since when they are there. */
export async function contentsOf({ administrator }: Api) {
  const lists = ['categories', 'tags', 'venues', 'organizers', 'series', 'events']
  const all: Record<string, unknown[]> = {}
  for (const plural of lists) {
    const query = '?per_page=50&hide_empty=false&start_date=2000-01-01&end_date=2100-01-01'
    const { status, body } = await administrator.get(
      `/${plural}${['categories', 'tags', 'events'].includes(plural) ? query : '?per_page=50'}`.replace(
        plural === 'events' ? '&hide_empty=false' : '&start_date=2000-01-01&end_date=2100-01-01',
        '',
      ),
    )
    if (status !== 200) throw new Error(`${plural}: ${status} ${JSON.stringify(body)}`)
    all[plural] = body[plural]
      .map(plain)
      .sort((one: { id: number }, other: { id: number }) => one.id - other.id)
  }
  return all
}

const PLACES = [
  'url',
  'urls',
  'rest_url',
  'modified',
  'modified_utc',
  'global_id',
  'global_id_lineage',
  'author',
  '_links',
]
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  // a draft has the date of its last change
  const hidden =
    'date_utc' in value && value.date_utc === '0000-00-00 00:00:00' ? [...PLACES, 'date'] : PLACES
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !hidden.includes(name))
      .map(([name, member]) => [
        name,
        name === 'image' && member ? { width: (member as { width: number }).width } : plain(member),
      ]),
  )
}

/** Milliseconds between two looks at a feed, and after which all of it is looked through. */
export const QUARTER = 15 * 60_000
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

/** What `/health` says of a mirror, once it is no longer starting; the error shows it where that is another state than this one. */
export const reached = ({ app }: Pick<Api, 'app'>, state: string, headers = {}) =>
  until(async () => {
    const { mirror } = (await app.inject({ url: '/health', headers })).json()
    if (mirror.state === state) return mirror
    if (mirror.state !== 'starting') throw new Error(JSON.stringify(mirror))
  })

/** Serves a mirror until it is in step with its source. */
export async function follow(api: Api) {
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  await reached(api, 'following')
}

/** A mirror that passes writes on to the calendar at an address; it does not follow it yet. */
export async function forwarding(t: Test, address: string, authorization: string, env = {}) {
  const credentials = join(t.testdir({ credentials: authorization.slice('Bearer '.length) }), 'credentials')
  const to = { MIRROR: address, MIRROR_CREDENTIALS: credentials, MIRROR_WRITES: 'forward' }
  return build(t, { env: { ...to, ...env } })
}
