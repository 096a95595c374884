import { readColour, readLinks } from '../../calendar/settings.ts'
import {
  type ConfigOf,
  matching,
  onOrOff,
  type Reading,
  type SettingTable,
  text,
} from '../../kernel/settings.ts'

/** An address with a place for each number of a tile, and for nothing else. */
function isTileUrl(url: string) {
  const places = url.match(/\{\w*\}/g) ?? []
  return /^https?:/.test(url) && URL.canParse(url) && places.sort().join() === '{x},{y},{z}'
}

const htmlFile = matching(/\.html?$/i, 'the path of an .html file')
const links = (given: string, { must }: Reading) =>
  must(
    given,
    readLinks(given) !== undefined,
    'texts with their addresses, such as Town hall https://town.example; Legal notice /legal/',
  )

export const PAGES_SETTINGS = {
  PAGES: {
    default: 'on',
    meaning: 'on: public pages of the calendar; off: addresses of records redirect to the API.',
    read: onOrOff,
  },
  SITE_NAME: {
    default: 'Almanac',
    meaning: 'Name of the calendar on its pages and in its feeds.',
    read: text,
  },
  SITE_LOGO: {
    default: '',
    meaning: 'Path of a picture that pages show in place of the name.',
    read: matching(
      /\.(svg|png|jpe?g|webp|avif)$/i,
      'the path of a picture: .svg, .png, .jpg, .webp or .avif',
    ),
  },
  SITE_COLOR: {
    default: '',
    meaning: 'Accent of the pages, such as #b5341c; it is darkened or lightened until it can be read.',
    read: (given, { must }) =>
      must(given, given === '' || readColour(given) !== undefined, 'a colour such as #b5341c'),
  },
  MAP_TILES: {
    default: '',
    meaning:
      'Address of the tiles of maps, such as https://tiles.example/{z}/{x}/{y}.png; pages of places then show a map, and visitors ask that host for it.',
    read: (given, { must }) =>
      must(given, given === '' || isTileUrl(given), 'an http or https address with {z}, {x} and {y}'),
  },
  MAP_ATTRIBUTION: {
    default: '',
    meaning: 'Whose maps these are, shown below them; an address at the end makes it a link.',
    read: (given, { must, text }) =>
      must(given, !isTileUrl(text('MAP_TILES')) || given !== '', 'set with MAP_TILES'),
  },
  SITE_STYLESHEET: {
    default: '',
    meaning: 'Path of a CSS file that pages load after their own.',
    read: matching(/\.css$/i, 'the path of a .css file'),
  },
  SITE_HEADER: {
    default: '',
    meaning: 'Path of an HTML file that pages show at their top; `{language}` in it stands for the language.',
    read: htmlFile,
  },
  SITE_FOOTER: {
    default: '',
    meaning: 'Path of an HTML file that pages show at their end; `{language}` in it stands for the language.',
    read: htmlFile,
  },
  SITE_WORDS: {
    default: '',
    meaning:
      'Path of JSON files with words of the pages, with `{language}` in it, for another language or in place of some words.',
    read: matching(/\{language\}.*\.json$/i, 'the path of a .json file with {language} in it'),
  },
  SITE_MENU: {
    default: '',
    meaning:
      'Links of the menu of the pages: `Text /path`, or with a whole address, separated by semicolons.',
    read: links,
  },
  SITE_LINKS: {
    default: '',
    meaning: 'Links at the end of the pages, such as a legal notice, in the form of `SITE_MENU`.',
    read: links,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof PAGES_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
