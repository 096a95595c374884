import type { Config } from './config.ts'
import { writeSources } from './features/imports/mirror/sources.ts'
import { redacted } from './features/nodes/session.ts'

type Setting = { default: string; meaning: string }

/** Every environment variable, as in docs/reference/settings.md. A default that depends on other variables is described in words. */
export const SETTINGS = {
  HOST: {
    default: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 for all, and localhost for 127.0.0.1.',
  },
  PORT: { default: '3000', meaning: 'Port to listen on.' },
  DATABASE: {
    default: 'data/almanac.db',
    meaning:
      'Path of the database file; its folder is created if missing. Or postgres://user:password@host/database, where PostgreSQL keeps the truth for several nodes.',
  },
  REPLICA: {
    default: 'data/replica.db',
    meaning: 'Path of the copy from which this node answers, if DATABASE is PostgreSQL.',
  },
  LOG_DAYS: {
    default: '7',
    meaning: 'Days that PostgreSQL keeps writes for nodes that were away; later ones take their copy anew.',
  },
  STALE_READS: {
    default: 'on',
    meaning:
      'on: while PostgreSQL does not answer, reads with credentials are answered from the copy, with its age in a header, and so are all reads while the node knows that it lacks what others have; off: with 503.',
  },
  BASE_URL: {
    default: 'http://HOST:PORT',
    meaning:
      'URL at which clients reach the service, with its path if it has one; every link starts with it.',
  },
  NAMESPACE: { default: 'calendar/events/v1', meaning: 'Path of the API.' },
  COMPAT_PREFIXES: {
    default: '/wp-json/tribe/events/v1',
    meaning: 'Further paths at which the API is served, separated by commas.',
  },
  COMPAT_LANGUAGES: {
    default: 'first',
    meaning:
      'Languages of lists for visitors at addresses of WordPress without a language: first, that of LANGUAGES; or all. i18n_language=any lists all in any case.',
  },
  TIMEZONE: { default: 'UTC', meaning: 'Time zone of the site: for events without one, and for "today".' },
  LANGUAGES: { default: 'en,ca,es', meaning: 'Languages of records; the first is the default.' },
  CURRENCY: { default: 'USD', meaning: 'ISO 4217 code; its symbol precedes costs that are plain numbers.' },
  LOG_LEVEL: { default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  DURABILITY: {
    default: 'full',
    meaning: 'full: every acknowledged write survives power loss; normal: the last ones may not.',
  },
  CORS_ORIGINS: {
    default: '',
    meaning: 'Origins that may write from a browser, separated by commas. Any origin may read.',
  },
  TRUST_PROXY: {
    default: 'off',
    meaning: 'off, or the addresses of proxies whose X-Forwarded-For is trusted; on trusts everyone.',
  },
  RATE_LIMIT: { default: 'off', meaning: 'off, or the requests that one client may make per minute.' },
  COST_LIMIT: {
    default: '20000',
    meaning:
      'off, or the units of work that one client may spend per minute on lists, searches and feeds; signed in, four times as many.',
  },
  DOWNLOAD_ALLOW: {
    default: '',
    meaning:
      'Private hosts and addresses from which images may be downloaded, and to which webhooks may be sent.',
  },
  WEBHOOKS: {
    default: 'on',
    meaning: 'off: nothing is sent to webhooks, for a copy of a calendar.',
  },
  MAX_AGE: {
    default: '0',
    meaning: 'Seconds for which caches may reuse public responses; with 0 they revalidate each time.',
  },
  MEDIA_DIR: { default: 'media next to the database', meaning: 'Folder for uploaded images.' },
  WORKERS: {
    default: '1',
    meaning: 'Processes that serve requests; one of them writes. More than 1 helps on several cores.',
  },
  MIRROR: {
    default: '',
    meaning:
      'URL of another calendar that this one is a mirror of: an Almanac, a site with The Events Calendar, or a feed of iCalendar, RSS or Atom. The service keeps itself in step with it, and clients write nothing here. Several URLs are separated by spaces; `Category=URL` puts the events of one into a category.',
  },
  MIRROR_CREDENTIALS: {
    default: '',
    meaning:
      'Path of a file with login:password or a token for the calendar in MIRROR; of several, a line with the host and its credentials for each. Without it, what visitors are shown is mirrored.',
  },
  MIRROR_WRITES: {
    default: 'refuse',
    meaning:
      'forward: what clients write is checked here and passed on to the calendar in MIRROR (one alone), with the credentials in MIRROR_CREDENTIALS. refuse: it is refused.',
  },
  CHECK: {
    default: 'off',
    meaning: 'on: verifies the database and its derived data before the service starts.',
  },
  CHANGES_DAYS: {
    default: '30',
    meaning: 'Days for which changes are kept for clients that follow them; off keeps all.',
  },
  SERIES_DAYS: {
    default: '730',
    meaning:
      'Days ahead for which series have dates. With more than 730, feeds without dates hold the dates of endless series as single events.',
  },
  AUDIT_DAYS: {
    default: '365',
    meaning: 'Days for which entries of the audit log are kept; off keeps all.',
  },
  REVISIONS_DAYS: {
    default: '365',
    meaning: 'Days for which changes of events are kept for those who edit them; off keeps all.',
  },
  MAX_DELAY: {
    default: '1000',
    meaning: 'Milliseconds that the event loop may lag before requests get 503; 0 for no limit.',
  },
  STOP_TIMEOUT: {
    default: '10',
    meaning: 'Seconds that running requests have to finish when the service stops.',
  },
  LISTENERS: {
    default: '5000',
    meaning:
      'Connections of each process that may listen to changes at a time; one address may have a tenth of them.',
  },
  METRICS_TOKEN: {
    default: '',
    meaning: 'Bearer token for /metrics. Without it, /metrics does not exist.',
  },
  METRICS_PORT: { default: '', meaning: 'Port on 127.0.0.1 that serves /metrics without a token.' },
  PAGES: {
    default: 'on',
    meaning: 'on: public pages of the calendar; off: addresses of records redirect to the API.',
  },
  DESK: {
    default: 'on',
    meaning: 'on: the desk of the editors, at `/desk/`; off: there is none.',
  },
  LOCAL_SIGN_IN: {
    default: 'on',
    meaning:
      'off: people sign in at the desk with the provider in OPENID_ISSUER alone. Application passwords and tokens of programs go on working with each request.',
  },
  OPENID_ISSUER: {
    default: '',
    meaning:
      'URL of the issuer with which people sign in at the desk by OpenID Connect, such as https://id.example/realms/town; https, or on this machine.',
  },
  OPENID_CLIENT_ID: { default: '', meaning: 'ID that the provider knows this calendar by.' },
  OPENID_CLIENT_SECRET: {
    default: '',
    meaning: 'Secret that belongs to it. Without one, the calendar is a public client.',
  },
  OPENID_NAME: {
    default: '',
    meaning: 'What the desk calls the provider: `Sign in with …`. Without it, the host of the issuer.',
  },
  OPENID_SCOPES: {
    default: 'openid email profile',
    meaning: 'Scopes that the provider is asked for, separated by spaces.',
  },
  OPENID_ROLES: {
    default: '',
    meaning:
      'Roles by a claim, such as `groups:calendar-editors=editor,calendar-admins=administrator`: set at each sign-in, and who has none of the values is refused. Without it, administrators give roles.',
  },
  OPENID_NEW_USERS: {
    default: 'refuse',
    meaning:
      'refuse, or the role of whom the provider knows and the calendar does not: subscriber, contributor, author or editor. OPENID_ROLES goes before it.',
  },
  SITE_NAME: { default: 'Almanac', meaning: 'Name of the calendar on its pages and in its feeds.' },
  SITE_LOGO: { default: '', meaning: 'Path of a picture that pages show in place of the name.' },
  SITE_COLOR: {
    default: '',
    meaning: 'Accent of the pages, such as #b5341c; it is darkened or lightened until it can be read.',
  },
  MAP_TILES: {
    default: '',
    meaning:
      'Address of the tiles of maps, such as https://tiles.example/{z}/{x}/{y}.png; pages of places then show a map, and visitors ask that host for it.',
  },
  MAP_ATTRIBUTION: {
    default: '',
    meaning: 'Whose maps these are, shown below them; an address at the end makes it a link.',
  },
  SITE_STYLESHEET: { default: '', meaning: 'Path of a CSS file that pages load after their own.' },
  SITE_HEADER: {
    default: '',
    meaning: 'Path of an HTML file that pages show at their top; `{language}` in it stands for the language.',
  },
  SITE_FOOTER: {
    default: '',
    meaning: 'Path of an HTML file that pages show at their end; `{language}` in it stands for the language.',
  },
  SITE_WORDS: {
    default: '',
    meaning:
      'Path of JSON files with words of the pages, with `{language}` in it, for another language or in place of some words.',
  },
  SITE_MENU: {
    default: '',
    meaning:
      'Links of the menu of the pages: `Text /path`, or with a whole address, separated by semicolons.',
  },
  SITE_LINKS: {
    default: '',
    meaning: 'Links at the end of the pages, such as a legal notice, in the form of `SITE_MENU`.',
  },
  SMTP_URL: {
    default: '',
    meaning:
      'URL of the server that takes mail, as smtps://user:password@mail.example; without it, no mail is sent and links are shown to copy.',
  },
  MAIL_FROM: {
    default: '',
    meaning: 'Address that mail is from, as Calendar <calendar@example.org>; required with SMTP_URL.',
  },
  SUBMISSIONS: {
    default: 'off',
    meaning: 'on: visitors may propose events, at `/events/submit/` and by the API; editors decide.',
  },
  SUBMISSIONS_DAYS: {
    default: '90',
    meaning:
      'Days for which name and address of who proposed an event are kept after the decision, or without one after the event was sent, corrected or asked about.',
  },
  SUBMISSIONS_MAIL: {
    default: '',
    meaning:
      'Addresses of editors, separated by commas, who are told by mail what was proposed, once an hour at most. Needs SMTP_URL.',
  },
} as const satisfies Record<string, Setting>

type Name = keyof typeof SETTINGS
/** The member of the configuration that has the value of a setting: `logDays` for `LOG_DAYS`. */
type Member<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Member<Rest>>}`
  : Lowercase<N>
const memberOf = <N extends Name>(name: N) =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as Member<N>

/** A value as it is written in the environment. Without one, a setting is off, or empty if it is empty by default. */
function print(value: boolean | number | string | string[] | undefined, usual: string): string {
  if (value === undefined) return usual && 'off'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}

/** The settings as they are written in the environment. */
export function valuesOf(config: Config): Record<Name, string> {
  const replica = config.postgres === undefined ? SETTINGS.REPLICA.default : config.database
  const mirror = config.mirror && writeSources(config.mirror)
  const values = { ...config, database: redacted(config.postgres ?? config.database), replica, mirror }
  values.smtpUrl = redacted(config.smtpUrl)
  const names = Object.keys(SETTINGS) as Name[]
  const texts = names.map((name) => [name, print(values[memberOf(name)], SETTINGS[name].default)])
  return Object.fromEntries(texts) as Record<Name, string>
}
