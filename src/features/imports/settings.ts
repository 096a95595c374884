import {
  baseUrlOf,
  type ConfigOf,
  oneOf,
  optional,
  type Reading,
  type SettingTable,
} from '../../kernel/settings.ts'

/** Another calendar that this one is made of: its address, and the category that its events get here. */
export type Source = { address: string; category?: string }

/** White space, or a comma before another source: commas may also stand in addresses. */
const BETWEEN = /\s+|,(?=(?:[^\s,=/]+=)?(?:https?|webcals?):\/\/)/i
const BEGINS = /^(?:https?|webcals?):\/\//i
const NAMED = /^(.*?)=((?:https?|webcals?):\/\/.*)$/is

/** An address that is read over the web: `webcal:` says of an https address that it is a calendar. */
export const webAddress = (text: string): string => text.replace(/^webcals?:/i, 'https:')

/**
 * Reads a list of sources, separated by white space or commas: an address, or a category, `=` and an address. The name of a category may have
 * spaces. A text that is no list of sources gives an address that is none.
 */
function readSources(text: string): Source[] {
  const sources: Source[] = []
  let name: string[] = []
  for (const word of text.split(BETWEEN)) {
    const [, last = '', address] = BEGINS.test(word) ? [] : (NAMED.exec(word) ?? [])
    if (address === undefined && !BEGINS.test(word)) name.push(word)
    else {
      const category = address === undefined ? '' : nameOf([...name, last])
      const stray = address === undefined ? nameOf(name) : ''
      if (stray !== '') sources.push({ address: stray })
      const plain = (address ?? word).replace(/,+$/, '')
      sources.push({ address: plain, ...(category !== '' && { category }) })
      name = []
    }
  }
  const rest = nameOf(name)
  return rest === '' ? sources : [...sources, { address: rest }]
}
const nameOf = (words: string[]) => words.join(' ').replace(/^[\s,]+|[\s,]+$/g, '')

/** A list of sources as it is read. */
const writeSources = (sources: readonly Source[]): string =>
  sources
    .map(({ address, category }) => (category === undefined ? address : `${category}=${address}`))
    .join(' ')

/** The address that two sources have in common; undefined if all differ. */
function findTwice(sources: readonly Source[]): string | undefined {
  const keyOf = ({ address }: Source) =>
    new URL(webAddress(address)).href.replace(/#.*$/, '').replace(/\/+$/, '')
  return sources.find((one, at) => sources.findIndex((other) => keyOf(other) === keyOf(one)) < at)?.address
}

/** Whether an address may be a secret, as those of private calendars are: one with a query, of a file, or with `webcal:`. */
function isSecret(address: string): boolean {
  const { pathname, searchParams } = new URL(webAddress(address))
  const names = [...searchParams.keys()]
  return (
    webAddress(address) !== address || names.some((name) => name !== 'rest_route') || /\.\w+$/.test(pathname)
  )
}

/** Sources as everybody may see them: by their addresses or, where these may be secrets, their hosts; with a number where that is not enough. */
export function shownSources(sources: readonly Source[]): string[] {
  const shown = sources.map(({ address }) =>
    isSecret(address) ? new URL(webAddress(address)).origin : address.replace(/\/+$/, ''),
  )
  return shown.map((one, at) => {
    const before = shown.slice(0, at).filter((other) => other === one).length
    return before === 0 ? one : `${one}#${before + 1}`
  })
}

/** Sources in one line, as everybody may see them; undefined if there are none. */
export const sourcesText = (sources: readonly Source[] | undefined): string | undefined =>
  sources && shownSources(sources).join(', ')

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
