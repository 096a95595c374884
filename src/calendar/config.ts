import { dirname, join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { readMailServer, readSender } from '../kernel/outbound/mail.ts'
import {
  baseUrlOf,
  type ConfigOf,
  type DeclaredConfig,
  daysOrOff,
  isPostgres,
  list,
  oneOf,
  onOrOff,
  optional,
  type Reading,
  redacted,
  type SettingTable,
  text,
  urlsOf,
  whole,
} from '../kernel/settings.ts'
import { readZone } from '../kernel/time/dates.ts'

const NO_NODES = 'the path of a file, because this program lacks the feature "nodes", which knows PostgreSQL'

/** The settings of the kernel and the calendar. */
export const SERVICE_SETTINGS = {
  HOST: {
    default: '127.0.0.1',
    meaning: 'Address to listen on; 0.0.0.0 for all, and localhost for 127.0.0.1.',
    read: text,
  },
  PORT: { default: '3000', meaning: 'Port to listen on.', read: whole(0, 65535) },
  DATABASE: {
    default: 'data/almanac.db',
    meaning:
      'Path of the database file; its folder is created if missing. Or postgres://user:password@host/database, where PostgreSQL keeps the truth for several nodes.',
    read(given, { must, text }) {
      must(given, !isPostgres(given) || text('REPLICA') !== '', NO_NODES)
      return must(
        given,
        !isPostgres(given) || isPostgresUrl(given),
        'a path, or a URL such as postgres://user:password@host/database',
      )
    },
    print: redacted,
  },
  BASE_URL: {
    default: 'http://HOST:PORT',
    meaning:
      'URL at which clients reach the service, with its path if it has one; every link starts with it.',
    read: (_, reading) => {
      const url = baseUrlOf(reading)
      return reading.must(
        url,
        /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(url),
        'an http or https URL without query',
      )
    },
  },
  NAMESPACE: {
    default: 'calendar/events/v1',
    meaning: 'Path of the API.',
    read: (given, { must }) => {
      const path = given.replace(/^\/+|\/+$/g, '')
      return must(path, isPath(path), 'a path such as calendar/events/v1')
    },
  },
  COMPAT_PREFIXES: {
    default: '/wp-json/tribe/events/v1',
    meaning: 'Further paths at which the API is served, separated by commas.',
    read: (given, { must, raw }) => {
      const prefixes = list(raw('COMPAT_PREFIXES') === undefined ? given : raw('COMPAT_PREFIXES')!).map(
        (prefix) => `/${prefix.replace(/^\/+|\/+$/g, '')}`,
      )
      return must(
        prefixes,
        prefixes.every((prefix) => isPath(prefix.slice(1))),
        'paths separated by commas',
      )
    },
  },
  COMPAT_LANGUAGES: {
    default: 'first',
    meaning:
      'Languages of lists for visitors at addresses of WordPress without a language: first, that of LANGUAGES; or all. i18n_language=any lists all in any case.',
    read: oneOf('first', 'all'),
  },
  TIMEZONE: {
    default: 'UTC',
    meaning: 'Time zone of the site: for events without one, and for "today".',
    read: (given, { must }) => {
      const zone = readZone(given)
      return must(zone ?? 'UTC', zone !== undefined, 'an IANA time zone such as Europe/Madrid')
    },
  },
  LANGUAGES: {
    default: 'en,ca,es',
    meaning: 'Languages of records; the first is the default.',
    read: (given, { must }) => {
      const languages = list(given)
      return must(
        languages,
        languages.length > 0 && languages.every((tag) => /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(tag)),
        'language codes separated by commas',
      )
    },
  },
  CURRENCY: {
    default: 'USD',
    meaning: 'ISO 4217 code; its symbol precedes costs that are plain numbers.',
    read: (given, { must }) => {
      const code = given.toUpperCase()
      return must(code, Intl.supportedValuesOf('currency').includes(code), 'an ISO 4217 code such as EUR')
    },
  },
  LOG_LEVEL: {
    default: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
  DURABILITY: {
    default: 'full',
    meaning: 'full: every acknowledged write survives power loss; normal: the last ones may not.',
    read: oneOf('full', 'normal'),
  },
  CORS_ORIGINS: {
    default: '',
    meaning: 'Origins that may write from a browser, separated by commas. Any origin may read.',
    read: (given, { must }) =>
      list(given).map((origin) =>
        must(
          origin,
          URL.canParse(origin) && new URL(origin).origin === origin,
          'origins such as https://example.org',
        ),
      ),
  },
  TRUST_PROXY: {
    default: 'off',
    meaning: 'off, or the addresses of proxies whose X-Forwarded-For is trusted; on trusts everyone.',
    read: (given, { must }) =>
      must(
        given === 'on' || (given !== 'off' && given),
        given === 'on' || given === 'off' || list(given).every(isAddress),
        'on, off, or addresses separated by commas, such as 10.0.0.1 or 10.0.0.0/8',
      ),
  },
  RATE_LIMIT: {
    default: 'off',
    meaning:
      'off, or the requests that one client may make per minute, reads and writes; each operation of a batch is one.',
    read: perMinute('requests'),
  },
  COST_LIMIT: {
    default: '20000',
    meaning:
      'off, or the units of work that one client may spend per minute on lists, searches and feeds; signed in, four times as many.',
    read: perMinute('units of work'),
  },
  DOWNLOAD_ALLOW: {
    default: '',
    meaning:
      'Private hosts and addresses from which images may be downloaded, and to which webhooks may be sent.',
    read: list,
  },
  MAX_AGE: {
    default: '0',
    meaning: 'Seconds for which caches may reuse public responses; with 0 they revalidate each time.',
    read: whole(0, 31_536_000),
  },
  MEDIA_DIR: {
    default: 'media next to the database',
    meaning: 'Folder for uploaded images.',
    read: (_, { raw, text }) => raw('MEDIA_DIR')?.trim() || mediaDirOf(fileOf(text)),
  },
  WORKERS: {
    default: '1',
    meaning: 'Processes that serve requests; one of them writes. More than 1 helps on several cores.',
    read: (given, reading) => {
      const workers = whole(1, 64)(given, reading)
      return reading.must(
        workers,
        !(workers > 1 && fileOf(reading.text) === ':memory:'),
        '1 if DATABASE is :memory:, which no other process can open',
      )
    },
  },
  CHECK: {
    default: 'off',
    meaning: 'on: verifies the database and its derived data before the service starts.',
    read: onOrOff,
  },
  CHANGES_DAYS: {
    default: '30',
    meaning: 'Days for which changes are kept for clients that follow them; off keeps all.',
    read: daysOrOff,
  },
  SERIES_DAYS: {
    default: '730',
    meaning:
      'Days ahead for which series have dates. With more than 730, feeds without dates hold the dates of endless series as single events.',
    read: whole(1, 3_650),
  },
  AUDIT_DAYS: {
    default: '365',
    meaning: 'Days for which entries of the audit log are kept; off keeps all.',
    read: daysOrOff,
  },
  MAX_DELAY: {
    default: '1000',
    meaning: 'Milliseconds that the event loop may lag before requests get 503; 0 for no limit.',
    read: whole(0, 60_000),
  },
  STOP_TIMEOUT: {
    default: '10',
    meaning: 'Seconds that running requests have to finish when the service stops.',
    read: whole(1, 3_600),
  },
  LISTENERS: {
    default: '5000',
    meaning:
      'Connections of each process that may listen to changes at a time; one address may have a tenth of them.',
    read: whole(1, 1_000_000),
  },
  METRICS_TOKEN: {
    default: '',
    meaning: 'Bearer token for /metrics. Without it, /metrics does not exist.',
    read: optional,
    secret: true,
  },
  METRICS_PORT: {
    default: '',
    meaning: 'Port on 127.0.0.1 that serves /metrics without a token.',
    read: (given, reading) => (given === '' ? undefined : whole(1, 65535)(given, reading)),
  },
  SMTP_URL: {
    default: '',
    meaning:
      'URL of the server that takes mail, as smtps://user:password@mail.example; without it, no mail is sent and links are shown to copy.',
    read: (given, { must }) =>
      must(
        given,
        given === '' || readMailServer(given) !== undefined,
        'a URL such as smtps://user:password@mail.example, or smtp:// with ?starttls=required, offered or off',
      ),
    print: redacted,
  },
  MAIL_FROM: {
    default: '',
    meaning: 'Address that mail is from, as Calendar <calendar@example.org>; required with SMTP_URL.',
    read: (given, { must, text }) =>
      must(
        given,
        given === '' ? readMailServer(text('SMTP_URL')) === undefined : readSender(given) !== undefined,
        'an address such as Calendar <calendar@example.org>, and set with SMTP_URL',
      ),
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof SERVICE_SETTINGS>
declare module '../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}

/** The configuration of a service. */
export type Config = DeclaredConfig & {
  /** The URL of PostgreSQL, if it keeps the truth; `database` is the copy of this node then. */
  postgres: string | undefined
  /** The variables that are set; the other settings have their defaults, or what the database keeps. */
  given: string[]
  /** Sentences about variables that are probably not meant as they are. */
  warnings: string[]
}

/** Requests or units of work that one client has per minute; undefined for `off`. */
function perMinute(what: string) {
  return (given: string, { must }: Reading): number | undefined =>
    given === 'off'
      ? undefined
      : must(
          Number(given),
          /^[1-9]\d{0,6}$/.test(given),
          `off, or a number of ${what} per minute from 1 to 9999999`,
        )
}

function isAddress(text: string) {
  const isName = ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text) || isName
}
function isPath(path: string) {
  return /^[\w-]+(\/[\w-]+)*$/.test(path)
}
/** A host, or several, and a database. Whether they exist is found out at the start. */
function isPostgresUrl(url: string) {
  return (
    /^postgres(ql)?:\/\/([^/?#@]*@)?[^/?#@,]+(,[^/?#@,]+)*\/[^/?#]+(\?.*)?$/i.test(url) &&
    urlsOf(url).every((one) => URL.canParse(one))
  )
}
/** The file that this process reads and writes: the database, or the copy of a node. */
function fileOf(text: Reading['text']) {
  return isPostgres(text('DATABASE')) ? text('REPLICA') : text('DATABASE')
}
function mediaDirOf(file: string) {
  return join(file === ':memory:' ? 'data' : dirname(file), 'media')
}
