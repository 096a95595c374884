import { existsSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { type Branding, legible, readColour, readLinks } from '../../calendar/branding.ts'
import type { ApiError } from '../../kernel/errors.ts'
import { type Packed, pack } from '../../kernel/output/negotiation.ts'
import {
  type ConfigOf,
  matching,
  onOrOff,
  type Reading,
  type SettingTable,
  text,
} from '../../kernel/settings.ts'
import type { Site } from '../../kernel/site.ts'
import { toHtml } from '../../kernel/text/html.ts'
import { textOf, trusted } from '../../kernel/text/markup.ts'
import { MANY_WORDS } from '../../kernel/text/search.ts'
import { fill } from '../../kernel/text/words.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { AN_HOUR, assetAt, bare, bareScript, FILE_TYPES, openFiles, shipped } from './assets.ts'
import { embeddedError, embedPage } from './embed.ts'
import { errorPage } from './layout.ts'
import { type Front, pathOf, type View } from './page.ts'
import { FOCUS_RULES } from './pictures.ts'
import { readWords, shippedIn, type Words, wordsOf } from './words.ts'

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

/** The settings of the pages, with those of others that they show. */
export type PageSettings = Settings & {
  baseUrl: string
  namespace: string
  submissions: boolean
  desk: boolean
  digest: boolean
}

/** The darkest surface of the light scheme and the lightest one of the dark scheme: what can be read there can be read on all of pages and desk. */
const LIGHT = readColour('#f0e0cf')!
const DARK = readColour('#3a2b22')!

/** The operator's file. Throws `unusable` if it can not be read. */
function readOwn(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw Object.assign(new Error(`${setting} is ${path}, which can not be read: ${code}`), {
      unusable: true,
    })
  }
}

/**
 * The operator's words by language. A language that the service has words of needs no file; at least one file must exist. Throws `unusable`
 * if a file can not be read or used.
 */
function ownWords(path: string, languages: readonly string[]): Map<string, Words> {
  const fileOf = (language: string) => path.replaceAll('{language}', language)
  const found = languages.filter((language) => !shippedIn(language) || existsSync(fileOf(language)))
  const read = (language: string): [string, Words] => {
    const file = fileOf(language)
    const text = readOwn('SITE_WORDS', file).toString()
    try {
      return [language, readWords(text, language)]
    } catch (error) {
      throw Object.assign(new Error(`SITE_WORDS: ${file} ${(error as Error).message}`), { unusable: true })
    }
  }
  return new Map((found.length > 0 ? found : languages.slice(0, 1)).map(read))
}

/** The accent of the operator, in shades that can be read on every surface of both schemes. */
export function accentOf(colour: string): string {
  const own = readColour(colour)
  if (!own) return ''
  const light = legible(own, LIGHT)
  const dark = legible(own, DARK)
  return `\n:root,:host{--site-accent:${light}}\n@media screen and (prefers-color-scheme:dark){:root:not([data-theme="light"]),:host(:not([theme="light"])){--site-accent:${dark}}}\n:root[data-theme="dark"],:host([theme="dark"]){--site-accent:${dark}}\n`
}

/**
 * What the pages of a site share: its words, its files, and its errors. Undefined with `PAGES=off`. `discovery` is what their heads say to
 * programs. They show the `branding` as it is when they are asked for.
 */
export function openPages(
  settings: PageSettings,
  site: Site,
  branding: () => Branding,
  discovery?: Front['discovery'],
) {
  if (!settings.pages) return undefined
  const { baseUrl, siteLogo, siteStylesheet, mapTiles, mapAttribution } = settings
  const path = new URL(baseUrl).pathname.replace(/\/$/, '')
  const files = openFiles(`${path}/assets`)
  const { add } = files
  const parts = ['month', 'suggest', 'share', 'submit', 'list', 'my-list'].map((name) => ({
    name,
    path: add(name, '.js', shipped(assetAt(`${name}.js`), bareScript)),
  }))
  /** A script that imports the parts at `folder`, under the names of their files. */
  const linked = (script: string, folder: string) =>
    parts.reduce(
      (text, { name, path }) => text.replace(`'./${name}.js'`, `'${folder}${basename(path)}'`),
      script,
    )
  const addSheet = (name: string) => add(name, '.css', shipped(assetAt(`${name}.css`), bare))
  /** The operator's HTML by language, sanitised as that of descriptions is. */
  const own = (setting: string, path: string) =>
    Object.fromEntries(
      (path ? site.languages : []).map((language) => {
        const bytes = readOwn(setting, path.replaceAll('{language}', language))
        return [language, trusted(toHtml(bytes.toString()))]
      }),
    )
  const words = settings.siteWords ? ownWords(settings.siteWords, site.languages) : undefined
  const wordsIn = (language: string) => words?.get(language) ?? wordsOf(language)
  const front: Front = {
    name: settings.siteName,
    base: baseUrl,
    path,
    api: `/${settings.namespace}`,
    languages: site.languages,
    zone: site.zone,
    styles: [add('calendar', '.css', shipped(assetAt('calendar.css'), bare) + accentOf(settings.siteColor))],
    sheets: {
      month: addSheet('month'),
      record: addSheet('record'),
      submit: addSheet('submit'),
      more: addSheet('more'),
      embed: addSheet('embed'),
      focus: add('focus', '.css', FOCUS_RULES),
    },
    script: add('calendar', '.js', linked(shipped(assetAt('calendar.js'), bareScript), './')),
    icon: add('icon', '.svg', shipped(assetAt('icon.svg'))),
    submits: settings.submissions,
    desk: settings.desk ? `${path}/desk/` : '',
    offers: Object.fromEntries(site.languages.map((language) => [language, wordsIn(language)])),
    mails: settings.digest,
    map: mapTiles ? { tiles: mapTiles, attribution: mapAttribution } : undefined,
    discovery,
    header: own('SITE_HEADER', settings.siteHeader),
    footer: own('SITE_FOOTER', settings.siteFooter),
    menu: readLinks(settings.siteMenu)!,
    links: [],
    logo: siteLogo && add('logo', extname(siteLogo).toLowerCase(), readOwn('SITE_LOGO', siteLogo)),
  }
  if (siteStylesheet) front.styles.push(add('site', '.css', readOwn('SITE_STYLESHEET', siteStylesheet)))

  const ownLogo = front.logo
  let applied: Branding | undefined
  /** Shows what administrators chose last. */
  const applyBranding = () => {
    const now = branding()
    if (now === applied) return
    applied = now
    front.name = now.name
    front.links = now.links
    front.styles[0] = add('calendar', '.css', shipped(assetAt('calendar.css'), bare) + accentOf(now.color))
    front.logo = now.logo === undefined ? ownLogo : `${path}/media/${now.logo}`
  }

  const failed = Object.fromEntries(
    site.languages.map((language) => [language.split('-')[0]!, wordsIn(language).embed_failed]),
  )
  const embed = linked(shipped(assetAt('embed.js'), bareScript), './assets/').replace(
    'FAILED = {}',
    `FAILED = ${JSON.stringify(failed)}`,
  )

  const viewOf = (language: string): View => ({
    front,
    language,
    words: wordsIn(language),
    now: toWall(site.clock(), site.zone),
  })
  const viewIn = (language: string): View => {
    applyBranding()
    return viewOf(language)
  }
  /** The language of a URL, by its prefix. */
  const languageOf = (url: string): string => {
    const own = url.startsWith(`${path}/`) ? url.slice(path.length) : url
    const first = /^\/([^/?]*)/.exec(own)?.[1]
    return site.languages.find((language) => language === first) ?? site.languages[0]!
  }

  return {
    front,
    /** A file by its name. */
    file(name: string): Packed | undefined {
      applyBranding()
      return files.get(name)
    },
    /** The script with the element for other sites. */
    embed: pack(embed, FILE_TYPES['.js']!, AN_HOUR),
    viewIn,
    /** An error as a page, in the language of its URL. */
    errorAt(url: string, error: ApiError, isEmbedded: boolean): string {
      // the database may be what fails
      const view = (error.status < 500 ? viewIn : viewOf)(languageOf(url))
      const [title, text] = wordsFor(error, view.words)
      if (isEmbedded) {
        const main = embeddedError(view, title, text, pathOf(view, '/events/'))
        return textOf(embedPage(view, title, {}, main))
      }
      return textOf(
        errorPage(view, url.split('?')[0]!, title, text, error.data.request_id as string | undefined),
      )
    },
  }
}
export type Pages = NonNullable<ReturnType<typeof openPages>>

/** What a visitor is told about an error: the title, and what would be right. */
function wordsFor({ code, status, data }: ApiError, words: Words): [title: string, text: string] {
  const {
    params = {},
    last,
    name,
    month,
    day,
    preview,
    submission,
  } = data as Record<string, unknown> & {
    params?: Record<string, string>
    last?: number
    name?: string
  }
  if (last !== undefined) return [words.page_not_found, fill(words.page_not_found_long, { page: last })]
  if (name !== undefined) return [words.term_not_found, fill(words.term_not_found_long, { name })]
  if (month !== undefined) return [words.month_not_found, words.month_not_found_long]
  if (day !== undefined) return [words.day_not_found, words.day_not_found_long]
  if (submission !== undefined) return [words.submit_unknown, words.not_found_long]
  if (preview !== undefined) return [words.preview_over, words.preview_over_long]
  if (code === 'rest-event-not-found') return [words.event_not_found, words.not_found_long]
  if (code === 'series-not-found') return [words.series_not_found, words.not_found_long]
  if (status === 404) return [words.not_found, words.not_found_long]
  if (status === 410) return [words.gone, words.gone_long]
  const unread = params.q ?? params.search
  if (unread !== undefined)
    return [unread === MANY_WORDS ? words.long_search : words.bad_search, words.none_found_hint]
  if (status === 429 || status === 503) return [words.busy, words.busy_long]
  return status < 500 ? [words.bad_request, words.bad_request_long] : [words.failed, words.failed_long]
}
