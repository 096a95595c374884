import type { VenueRecord } from '../../calendar/formats/records.ts'
import { localeOf } from '../../calendar/formats/texts.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { fold } from '../../kernel/text/text.ts'
import { fill } from '../../kernel/text/words.ts'
import { apart, type View } from './page.ts'
import { WORDS } from './words.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

type Style = Intl.DisplayNamesOptions['style']
const namesIn = (language: string, style: Style = 'long') =>
  new Intl.DisplayNames([localeOf(language)], { type: 'region', style, fallback: 'none' })

/** The codes of countries (ISO 3166-1) by themselves and by their names in the languages of the pages, made when the first is asked for. */
let codes: Map<string, string> | undefined
function codeOf(country: string): string | undefined {
  const named = (names: Intl.DisplayNames) =>
    CODES.flatMap((code): [string, string][] => {
      const name = names.of(code)
      return name === undefined
        ? []
        : [
            [fold(name), code],
            [fold(code), code],
          ]
    })
  codes ??= new Map([
    ['usa', 'US'],
    ...named(namesIn('en', 'short')),
    ...Object.keys(WORDS).flatMap((language) => named(namesIn(language))),
  ])
  return codes.get(fold(country))
}

const shown = new Map<string, string>()
/** A country in a language, as it was written if it is not known. */
export function countryIn(country: string, language: string): string {
  const key = `${language} ${country}`
  const known = shown.get(key)
  if (known !== undefined) return known
  const code = codeOf(country)
  const name = code === undefined ? country : namesIn(language).of(code)!
  if (code !== undefined) shown.set(key, name) // these are few, and what people may write is not
  return name
}

/** The address of a venue in one line, without empty parts and without a province named like its city; its country in a language, or as it was written. */
export function addressOf(
  { address, zip, city, stateprovince, country }: VenueRecord,
  language?: string,
): string {
  const town = [zip, city].filter(Boolean).join(' ')
  const land = language === undefined ? country : countryIn(country, language)
  return [address, town, stateprovince === city ? '' : stateprovince, land].filter(Boolean).join(', ')
}

const SITE = 'https://www.openstreetmap.org'

/** Whether it is known where on earth a venue is. */
const pointOf = ({ geo_lat: lat, geo_lng: lng }: VenueRecord) =>
  lat !== null && lng !== null ? { lat, lng } : undefined

/** The addresses of a map that shows a venue, and of the way there; undefined if it is nowhere, or shall have none. */
function linksOf(venue: VenueRecord): { map: string; way: string } | undefined {
  if (!venue.show_map_link) return undefined
  const point = pointOf(venue)
  const way = (to: string) => `${SITE}/directions?${new URLSearchParams({ to })}`
  if (point) {
    const { lat, lng } = point
    return { map: `${SITE}/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`, way: way(`${lat},${lng}`) }
  }
  const address = addressOf(venue)
  return venue.address && address
    ? { map: `${SITE}/search?${new URLSearchParams({ query: address })}`, way: way(address) }
    : undefined
}

/** The tiles of web maps are squares of so many pixels, and at this zoom show the streets around a place. */
const TILE = 256
const ZOOM = 16
/** What of the map is shown, in its pixels. */
const [WIDTH, HEIGHT] = [320, 200]
/** The last parallel of web maps. */
const NORTH = 85.05

/** Where a point is on the map of the world, in pixels from its top left (Web Mercator, EPSG:3857). */
function pixelOf({ lat, lng }: { lat: number; lng: number }): [x: number, y: number] {
  const world = TILE * 2 ** ZOOM
  const phi = (Math.max(-NORTH, Math.min(NORTH, lat)) * Math.PI) / 180
  const y = 0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI)
  return [Math.round((lng / 360 + 0.5) * world), Math.round(y * world)]
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** A text that may end with an address, which it is then a link to. */
function attributionOf(text: string): Part {
  const [, words, address] = /^(.*\S)\s+(https?:\/\/\S+)$/.exec(text) ?? []
  return address ? html`<a href="${address}" rel="noopener">${words}</a>` : text
}

/** Whether a venue is shown on a map: if the operator names tiles, and it is known where it is and may be shown. */
export const hasMap = ({ front }: Pick<View, 'front'>, venue: VenueRecord): boolean =>
  front.map !== undefined && venue.show_map && pointOf(venue) !== undefined

/** A map around a venue of the tiles that the operator names; nothing without them, or if the venue shall have none. */
function mapOf(view: View, venue: VenueRecord): Part {
  if (!hasMap(view, venue)) return ''
  const { words } = view
  const map = view.front.map!
  const point = pointOf(venue)!
  const [x, y] = pixelOf(point)
  const [left, top] = [x - WIDTH / 2, y - HEIGHT / 2]
  const tiles = 2 ** ZOOM
  const columns = from(Math.floor(left / TILE), Math.floor((left + WIDTH - 1) / TILE))
  const rows = from(Math.floor(top / TILE), Math.floor((top + HEIGHT - 1) / TILE))
  const tile = (column: number, row: number) => {
    const numbers = { z: ZOOM, x: (column + tiles) % tiles, y: row }
    return html`<image href="${fill(map.tiles, numbers)}" x="${column * TILE - left}" y="${row * TILE - top}" width="${TILE}" height="${TILE}"/>`
  }
  return html`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${fill(words.map_of, { place: venue.title })}">${rows.map((row) => columns.map((column) => tile(column, row)))}<circle cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="8"/></svg>
<p class="credit">${attributionOf(map.attribution)}</p>`
}

/** The address of a venue, and the ways to find it; nothing if none of it is known. */
export function placeOf(view: View, venue: VenueRecord): Part {
  const { words } = view
  const address = addressOf(venue, view.language)
  const links = linksOf(venue)
  const link = (href: string, text: string): Markup => html`<a href="${href}" rel="noopener">${text}</a>`
  const parts = [
    address && html`<p class="address"${apart(view, address, venue.language)}>${address}</p>`,
    links && html`<p class="ways">${link(links.map, words.map)} ${link(links.way, words.directions)}</p>`,
    mapOf(view, venue),
  ].filter(Boolean)
  return parts.length > 0 && parts
}
