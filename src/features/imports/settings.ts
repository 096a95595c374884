import {
  baseUrlOf,
  type ConfigOf,
  oneOf,
  optional,
  type Reading,
  type SettingTable,
} from '../../kernel/settings.ts'
import { findTwice, readSources, type Source, webAddress, writeSources } from './mirror/sources.ts'

/** The address of another service, not of this one. */
function isOther(url: string, base: string): boolean {
  if (!URL.canParse(url) || `${url}/`.startsWith(`${base}/`)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username + password === ''
}

/** The calendars that this one is a mirror of; undefined if it is none. */
function readMirror(given: string, reading: Reading): Source[] | undefined {
  const { must } = reading
  const sources = readSources(given)
  const isFine = sources.every(({ address }) => isOther(webAddress(address), baseUrlOf(reading)))
  must(
    sources,
    isFine,
    'http or https URLs of other calendars without credentials in them, each alone or as Category=URL',
  )
  const twice = isFine ? findTwice(sources) : undefined
  must(sources, twice === undefined, `a list that names ${twice} once`)
  return sources.length > 0 ? sources : undefined
}

export const IMPORTS_SETTINGS = {
  MIRROR: {
    default: '',
    meaning:
      'URL of another calendar that this one is a mirror of: an Almanac, a site with The Events Calendar, or a feed of iCalendar, RSS or Atom. The service keeps itself in step with it, and clients write nothing here. Several URLs are separated by spaces; `Category=URL` puts the events of one into a category.',
    read: readMirror,
    print: writeSources,
  },
  MIRROR_CREDENTIALS: {
    default: '',
    meaning:
      'Path of a file with login:password or a token for the calendar in MIRROR; of several, a line with the host and its credentials for each. Without it, what visitors are shown is mirrored.',
    read: (given, { must, text }) =>
      must(optional(given), given === '' || text('MIRROR') !== '', 'set with MIRROR'),
  },
  MIRROR_WRITES: {
    default: 'refuse',
    meaning:
      'forward: what clients write is checked here and passed on to the calendar in MIRROR (one alone), with the credentials in MIRROR_CREDENTIALS. refuse: it is refused.',
    read: (given, reading) => {
      const { must, text } = reading
      const isForwarded = text('MIRROR_CREDENTIALS') !== '' && readSources(text('MIRROR')).length === 1
      return must(
        oneOf('refuse', 'forward')(given, reading),
        given !== 'forward' || isForwarded,
        'refuse, or set with MIRROR_CREDENTIALS and one URL in MIRROR',
      )
    },
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof IMPORTS_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
