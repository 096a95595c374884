import { dirname, join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { readZone } from './rules/dates.ts'
import type { Durability } from './store/sqlite/db.ts'

export type Config = {
  host: string
  port: number
  database: string
  baseUrl: string
  namespace: string
  compatPrefixes: string[]
  timezone: string
  languages: string[]
  currency: string
  logLevel: string
  durability: Durability
  corsOrigins: string[]
  trustProxy: boolean | string
  /** Requests a minute; undefined is off. */
  rateLimit: number | undefined
  downloadAllow: string[]
  /** Seconds. */
  maxAge: number
  mediaDir: string
  workers: number
  check: boolean
  /** Milliseconds; 0 is off. */
  maxDelay: number
  /** Seconds. */
  stopTimeout: number
  metricsToken: string | undefined
  metricsPort: number | undefined
}

type Setting = { default: string; meaning: string }

/** Every environment variable; the README's table lists the same. Defaults that follow from others say how. */
export const SETTINGS = {
  HOST: { default: '127.0.0.1', meaning: 'Address to listen on; 0.0.0.0 for all.' },
  PORT: { default: '3000', meaning: 'Port to listen on.' },
  DATABASE: {
    default: 'data/almanac.db',
    meaning: 'Path of the database file; its folder is made when missing.',
  },
  BASE_URL: {
    default: 'http://HOST:PORT',
    meaning: 'Where clients reach the service; stands in every link.',
  },
  NAMESPACE: { default: 'calendar/events/v1', meaning: 'Path of the API.' },
  COMPAT_PREFIXES: {
    default: '/wp-json/tribe/events/v1',
    meaning: 'More paths at which the same API answers, separated by commas.',
  },
  TIMEZONE: { default: 'UTC', meaning: 'Time zone of the site: of events without one, and of "today".' },
  LANGUAGES: { default: 'en,ca,es', meaning: 'Languages of records; the first is the default.' },
  CURRENCY: { default: 'USD', meaning: 'ISO 4217 code whose symbol stands before plain amounts.' },
  LOG_LEVEL: { default: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  DURABILITY: {
    default: 'full',
    meaning: 'full: an answered write survives power loss; normal: the last ones may not.',
  },
  CORS_ORIGINS: {
    default: '',
    meaning: 'Origins whose pages may write, separated by commas; any origin may read.',
  },
  TRUST_PROXY: {
    default: 'off',
    meaning: 'off, or the addresses of proxies whose X-Forwarded-For is believed; on believes anybody.',
  },
  RATE_LIMIT: { default: 'off', meaning: 'off, or the requests that one client may make a minute.' },
  DOWNLOAD_ALLOW: {
    default: '',
    meaning: 'Hosts and addresses from which images may be downloaded although they are private.',
  },
  MAX_AGE: {
    default: '0',
    meaning: 'Seconds for which other caches may keep what everyone may read; 0 makes them ask each time.',
  },
  MEDIA_DIR: { default: 'media beside the database', meaning: 'Folder of uploaded images.' },
  WORKERS: {
    default: '1',
    meaning: 'Processes that answer requests; one of them writes. More than 1 pays on several cores.',
  },
  CHECK: {
    default: 'off',
    meaning: 'on: verifies the database and everything derived in it before the service starts.',
  },
  MAX_DELAY: {
    default: '1000',
    meaning: 'Milliseconds that the event loop may lag before requests are refused with 503; 0 for no bound.',
  },
  STOP_TIMEOUT: {
    default: '10',
    meaning: 'Seconds that running requests get to finish when the service is stopped.',
  },
  METRICS_TOKEN: {
    default: '',
    meaning: 'Bearer token with which /metrics may be read; without one it is not there.',
  },
  METRICS_PORT: { default: '', meaning: 'Port on 127.0.0.1 at which /metrics is shown without a token.' },
} as const satisfies Record<string, Setting>

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** Reads the configuration. Throws one error that lists every mistake. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const text = (name: keyof typeof SETTINGS) => env[name]?.trim() || SETTINGS[name].default
  const must = <T>(name: keyof typeof SETTINGS, value: T, fine: boolean, what: string): T => {
    if (!fine) mistakes.push(`${name} must be ${what}; it is "${text(name)}".`)
    return value
  }
  const whole = (name: keyof typeof SETTINGS, from: number, to: number) =>
    must(
      name,
      Number(text(name)),
      /^\d+$/.test(text(name)) && Number(text(name)) >= from && Number(text(name)) <= to,
      `a whole number from ${from} to ${to}`,
    )

  const host = text('HOST')
  const port = whole('PORT', 0, 65535)
  const database = text('DATABASE')
  const base = (env.BASE_URL?.trim() || `http://${host.includes(':') ? `[${host}]` : host}:${port}`).replace(
    /\/+$/,
    '',
  )
  const namespace = text('NAMESPACE').replace(/^\/+|\/+$/g, '')
  const prefixes = list(env.COMPAT_PREFIXES ?? SETTINGS.COMPAT_PREFIXES.default).map(
    (prefix) => `/${prefix.replace(/^\/+|\/+$/g, '')}`,
  )
  const languages = list(text('LANGUAGES'))
  const zone = readZone(text('TIMEZONE'))
  const rate = text('RATE_LIMIT')
  const proxy = text('TRUST_PROXY')
  const config: Config = {
    host,
    port,
    database,
    baseUrl: must(
      'BASE_URL',
      base,
      /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(base),
      'an http or https URL without query',
    ),
    namespace: must('NAMESPACE', namespace, isPath(namespace), 'a path such as calendar/events/v1'),
    compatPrefixes: must(
      'COMPAT_PREFIXES',
      prefixes,
      prefixes.every((prefix) => isPath(prefix.slice(1))),
      'paths separated by commas',
    ),
    timezone: must('TIMEZONE', zone ?? 'UTC', zone !== undefined, 'an IANA time zone such as Europe/Madrid'),
    languages: must(
      'LANGUAGES',
      languages,
      languages.length > 0 && languages.every((tag) => /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(tag)),
      'language codes separated by commas',
    ),
    currency: must(
      'CURRENCY',
      text('CURRENCY').toUpperCase(),
      Intl.supportedValuesOf('currency').includes(text('CURRENCY').toUpperCase()),
      'an ISO 4217 code such as EUR',
    ),
    logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    durability: oneOf('DURABILITY', ['full', 'normal']) as Durability,
    corsOrigins: list(text('CORS_ORIGINS')).map((origin) =>
      must(
        'CORS_ORIGINS',
        origin,
        URL.canParse(origin) && new URL(origin).origin === origin,
        'origins such as https://example.org',
      ),
    ),
    trustProxy: must(
      'TRUST_PROXY',
      proxy === 'on' || (proxy !== 'off' && proxy),
      proxy === 'on' || proxy === 'off' || list(proxy).every(isAddress),
      'on, off, or addresses separated by commas, such as 10.0.0.1 or 10.0.0.0/8',
    ),
    rateLimit:
      rate === 'off'
        ? undefined
        : must(
            'RATE_LIMIT',
            Number(rate),
            /^[1-9]\d{0,6}$/.test(rate),
            'off or a number of requests a minute',
          ),
    maxAge: whole('MAX_AGE', 0, 31_536_000),
    downloadAllow: list(text('DOWNLOAD_ALLOW')),
    mediaDir: env.MEDIA_DIR?.trim() || join(database === ':memory:' ? 'data' : dirname(database), 'media'),
    workers: whole('WORKERS', 1, 64),
    check: oneOf('CHECK', ['on', 'off']) === 'on',
    maxDelay: whole('MAX_DELAY', 0, 60_000),
    stopTimeout: whole('STOP_TIMEOUT', 1, 3_600),
    metricsToken: text('METRICS_TOKEN') || undefined,
    metricsPort: text('METRICS_PORT') === '' ? undefined : whole('METRICS_PORT', 1, 65535),
  }
  must(
    'WORKERS',
    config.workers,
    !(config.workers > 1 && database === ':memory:'),
    '1 where DATABASE is :memory:, which no other process sees',
  )
  if (mistakes.length > 0)
    throw Object.assign(
      new Error(
        `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
      ),
      { unusable: true },
    )
  return config

  function oneOf(name: keyof typeof SETTINGS, words: string[]): string {
    return must(name, text(name), words.includes(text(name)), `one of ${words.join(', ')}`)
  }
}

const isAddress = (text: string) =>
  ipaddr.isValid(text) || ipaddr.isValidCIDR(text) || ['loopback', 'linklocal', 'uniquelocal'].includes(text)
const isPath = (path: string) => /^[\w-]+(\/[\w-]+)*$/.test(path)
