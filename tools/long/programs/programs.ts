import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** An event as a program read it: title, and start and end in UTC to the minute, or as days. */
export type Read = { title: string; start: string; end: string }

/** An event as a program described it; times in UTC, by the name of their zone and by its VTIMEZONE. */
type Described = Record<'uid' | 'title' | 'description' | 'location' | 'url' | 'status', string> &
  Record<'categories' | 'start' | 'end', string[]>

const READER = fileURLToPath(new URL('read_calendar.py', import.meta.url))
const VOBJECT_READER = fileURLToPath(new URL('read_vobject.py', import.meta.url))
const FEED_READER = fileURLToPath(new URL('read_feed.py', import.meta.url))
const PYTHON = process.env.ICALENDAR_PYTHON ?? '/usr/bin/python3'
const ENV = { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8' }

/** Runs a program of a Debian package; says which one is missing. */
function run(program: string, args: string[], debian: string, input = ''): string {
  try {
    return execFileSync(program, args, { input, env: ENV, encoding: 'utf8', maxBuffer: 2 ** 28 })
  } catch (error) {
    const { code, stderr = '' } = error as { code?: string; stderr?: string }
    if (code !== 'ENOENT' && !/No module named '(icalendar|feedparser|vobject)'/.test(stderr)) throw error
    throw new Error(`${program} is not there for the test: apt-get install ${debian}`)
  }
}

/** What python3-icalendar reads. */
export const byPython = (calendar: string) =>
  JSON.parse(run(PYTHON, [READER], 'python3-icalendar', calendar)) as { name: string; events: Described[] }

/** What python3-vobject reads. */
export const byVobject = (calendar: string) =>
  JSON.parse(run(PYTHON, [VOBJECT_READER], 'python3-vobject', calendar)) as Read[]

/** An entry of a feed as a program read it; `published` in UTC, from the year to the second. */
type Entry = Record<'id' | 'title' | 'link' | 'start' | 'end', string> &
  Record<'categories' | 'enclosures', string[]> & { published: number[] }

/** What python3-feedparser reads. `fault` is empty if the feed is well-formed. */
export const byFeedparser = (feed: string) =>
  JSON.parse(run(PYTHON, [FEED_READER], 'python3-feedparser', feed)) as {
    fault: string
    version: string
    title: string
    entries: Entry[]
  }

/** What khal lists after it has imported a calendar into a folder. */
export function byKhal(calendar: string, folder: string): Read[] {
  mkdirSync(join(folder, 'khal'), { recursive: true })
  const [file, config] = [join(folder, 'khal.ics'), join(folder, 'khal.conf')]
  writeFileSync(file, calendar)
  writeFileSync(
    config,
    `[calendars]
[[almanac]]
path = ${join(folder, 'khal')}
[locale]
local_timezone = UTC
default_timezone = UTC
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
[sqlite]
path = ${join(folder, 'khal.db')}
`,
  )
  const khal = (...args: string[]) => run('khal', ['-c', config, ...args], 'khal')
  khal('import', '--batch', '-a', 'almanac', file)
  const format = '{start-date-long} {start-time}\t{end-date-long} {end-time}\t{title}'
  return khal('list', '--once', '--day-format', '', '--format', format, '2020-01-01', '7300d')
    .split('\n')
    .filter((line) => line.includes('\t'))
    .map((line) => {
      const [start, end, title] = line.split('\t') as [string, string, string]
      return { title, start: start.trim(), end: end.trim() }
    })
}

/** What calcurse has after it has imported a calendar into a folder. It has days for all-day events. */
export function byCalcurse(calendar: string, folder: string): Read[] {
  const [file, data] = [join(folder, 'calcurse.ics'), join(folder, 'calcurse')]
  writeFileSync(file, calendar)
  mkdirSync(data, { recursive: true })
  run('calcurse', ['-q', '-D', data, '-i', file], 'calcurse')
  const iso = (text = '') => text.replace(/(\d\d)\/(\d\d)\/(\d{4})(?: @ )?/, '$3-$1-$2 ').trim()
  return readFileSync(join(data, 'apts'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, start, end, title] =
        /^(\S+ @ \S+) -> (\S+ @ [\d:]+)(?:>\w+)? ?\|(.*)$/.exec(line) ??
        /^(\S+) \[1\](?: \{1D -> (\S+)\})?(?: >\w+)? (.*)$/.exec(line)!
      return { title: title!, start: iso(start), end: iso(end ?? start) }
    })
}
