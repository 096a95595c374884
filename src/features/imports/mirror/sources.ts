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
export function readSources(text: string): Source[] {
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
export const writeSources = (sources: readonly Source[]): string =>
  sources
    .map(({ address, category }) => (category === undefined ? address : `${category}=${address}`))
    .join(' ')

/** The address that two sources have in common; undefined if all differ. */
export function findTwice(sources: readonly Source[]): string | undefined {
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
