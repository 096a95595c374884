import { dirname, join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { findTwice, readSources, type Source, webAddress } from './features/imports/mirror/sources.ts'
import { redacted, urlsOf } from './features/nodes/connection/url.ts'
import { readColour } from './features/pages/colours.ts'
import { readLinks } from './features/pages/links.ts'
import { isIssuer, readRoleClaim } from './features/people/openid/claims.ts'
import { ROLES, type Role } from './kernel/access/roles.ts'
import { isMailAddress } from './kernel/access/users.ts'
import type { Durability } from './kernel/database/db.ts'
import { readMailServer, readSender } from './kernel/outbound/mail.ts'
import { readZone } from './kernel/time/dates.ts'
import { strayNames } from './names.ts'
import { SETTINGS } from './settings.ts'

export type Config = {
  host: string
  port: number
  /** The file that this process reads and writes: the database, or the copy of a node. */
  database: string
  /** The URL of PostgreSQL, if it keeps the truth. */
  postgres: string | undefined
  /** Days that PostgreSQL keeps what nodes have to follow. */
  logDays: number
  /** Whether reads with credentials are answered while nobody knows whether the copy has everything. */
  staleReads: boolean
  baseUrl: string
  namespace: string
  compatPrefixes: string[]
  compatLanguages: 'first' | 'all'
  timezone: string
  languages: string[]
  currency: string
  logLevel: string
  durability: Durability
  corsOrigins: string[]
  trustProxy: boolean | string
  /** Requests per minute; undefined is off. */
  rateLimit: number | undefined
  costLimit: number | undefined
  downloadAllow: string[]
  webhooks: boolean
  /** Seconds. */
  maxAge: number
  mediaDir: string
  workers: number
  /** The calendars that this one is a mirror of; undefined if it is none. */
  mirror: Source[] | undefined
  /** The path of a file. */
  mirrorCredentials: string | undefined
  /** Whether writes of clients are passed on to that calendar. */
  mirrorWrites: 'refuse' | 'forward'
  check: boolean
  /** Days; undefined keeps all. */
  changesDays: number | undefined
  /** Days. */
  seriesDays: number
  /** Days; undefined keeps all. */
  auditDays: number | undefined
  /** Days; undefined keeps all. */
  revisionsDays: number | undefined
  /** Milliseconds; 0 is off. */
  maxDelay: number
  /** Seconds. */
  stopTimeout: number
  /** Connections. */
  listeners: number
  metricsToken: string | undefined
  metricsPort: number | undefined
  pages: boolean
  desk: boolean
  /** Whether people sign in with what this service knows of them, or with the provider alone. */
  localSignIn: boolean
  /** The provider with which people sign in; undefined without one. */
  openidIssuer: string | undefined
  openidClientId: string | undefined
  openidClientSecret: string | undefined
  /** Empty for the host of the issuer. */
  openidName: string
  openidScopes: string
  /** As `readRoleClaim` reads it; empty for none. */
  openidRoles: string
  openidNewUsers: 'refuse' | Exclude<Role, 'administrator'>
  siteName: string
  /** Paths of files; empty for none. */
  siteLogo: string
  siteStylesheet: string
  siteHeader: string
  siteFooter: string
  siteWords: string
  /** As `readLinks` reads them. */
  siteMenu: string
  siteLinks: string
  /** Empty for that of the style sheet. */
  siteColor: string
  mapTiles: string
  mapAttribution: string
  /** Empty where no mail is sent. */
  smtpUrl: string
  mailFrom: string
  /** Whether visitors may propose events. */
  submissions: boolean
  /** Days. */
  submissionsDays: number
  /** Addresses of mail; none where nobody is told. */
  submissionsMail: string[]
  /** The variables that are set; the other settings have their defaults, or what the database keeps. */
  given: string[]
  /** Sentences about variables that are probably not meant as they are. */
  warnings: string[]
}

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
    if (!fine) mistakes.push(`${name} must be ${what}; it is "${redacted(text(name))}".`)
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
  const postgres = /^postgres(ql)?:/i.test(text('DATABASE')) ? text('DATABASE') : undefined
  const database = postgres === undefined ? text('DATABASE') : text('REPLICA')
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
  const proxy = text('TRUST_PROXY')
  const isTiles = isTileUrl(text('MAP_TILES'))
  const config: Config = {
    host,
    port,
    database,
    postgres: must(
      'DATABASE',
      postgres,
      postgres === undefined || isPostgres(postgres),
      'a path, or a URL such as postgres://user:password@host/database',
    ),
    logDays: whole('LOG_DAYS', 1, 3_650),
    staleReads: oneOf('STALE_READS', ['on', 'off']) === 'on',
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
    compatLanguages: oneOf('COMPAT_LANGUAGES', ['first', 'all']) as Config['compatLanguages'],
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
    rateLimit: perMinute('RATE_LIMIT', 'requests'),
    costLimit: perMinute('COST_LIMIT', 'units of work'),
    maxAge: whole('MAX_AGE', 0, 31_536_000),
    downloadAllow: list(text('DOWNLOAD_ALLOW')),
    webhooks: oneOf('WEBHOOKS', ['on', 'off']) === 'on',
    mediaDir: env.MEDIA_DIR?.trim() || join(database === ':memory:' ? 'data' : dirname(database), 'media'),
    workers: whole('WORKERS', 1, 64),
    mirror: mirrored(),
    mirrorCredentials: must(
      'MIRROR_CREDENTIALS',
      text('MIRROR_CREDENTIALS') || undefined,
      text('MIRROR_CREDENTIALS') === '' || text('MIRROR') !== '',
      'set with MIRROR',
    ),
    mirrorWrites: must(
      'MIRROR_WRITES',
      oneOf('MIRROR_WRITES', ['refuse', 'forward']) as Config['mirrorWrites'],
      text('MIRROR_WRITES') !== 'forward' ||
        (text('MIRROR_CREDENTIALS') !== '' && readSources(text('MIRROR')).length === 1),
      'refuse, or set with MIRROR_CREDENTIALS and one URL in MIRROR',
    ),
    check: oneOf('CHECK', ['on', 'off']) === 'on',
    changesDays: daysOrOff('CHANGES_DAYS'),
    seriesDays: whole('SERIES_DAYS', 1, 3_650),
    auditDays: daysOrOff('AUDIT_DAYS'),
    revisionsDays: daysOrOff('REVISIONS_DAYS'),
    maxDelay: whole('MAX_DELAY', 0, 60_000),
    stopTimeout: whole('STOP_TIMEOUT', 1, 3_600),
    listeners: whole('LISTENERS', 1, 1_000_000),
    metricsToken: text('METRICS_TOKEN') || undefined,
    metricsPort: text('METRICS_PORT') === '' ? undefined : whole('METRICS_PORT', 1, 65535),
    pages: oneOf('PAGES', ['on', 'off']) === 'on',
    desk: oneOf('DESK', ['on', 'off']) === 'on',
    localSignIn: must(
      'LOCAL_SIGN_IN',
      oneOf('LOCAL_SIGN_IN', ['on', 'off']) === 'on',
      text('LOCAL_SIGN_IN') !== 'off' || text('OPENID_ISSUER') !== '',
      'on, or set with OPENID_ISSUER',
    ),
    ...openid(),
    siteName: text('SITE_NAME'),
    siteLogo: must(
      'SITE_LOGO',
      text('SITE_LOGO'),
      /^$|\.(svg|png|jpe?g|webp|avif)$/i.test(text('SITE_LOGO')),
      'the path of a picture: .svg, .png, .jpg, .webp or .avif',
    ),
    siteStylesheet: must(
      'SITE_STYLESHEET',
      text('SITE_STYLESHEET'),
      /^$|\.css$/i.test(text('SITE_STYLESHEET')),
      'the path of a .css file',
    ),
    siteHeader: page('SITE_HEADER'),
    siteFooter: page('SITE_FOOTER'),
    siteWords: must(
      'SITE_WORDS',
      text('SITE_WORDS'),
      /^$|\{language\}.*\.json$/i.test(text('SITE_WORDS')),
      'the path of a .json file with {language} in it',
    ),
    siteMenu: links('SITE_MENU'),
    siteLinks: links('SITE_LINKS'),
    siteColor: must(
      'SITE_COLOR',
      text('SITE_COLOR'),
      text('SITE_COLOR') === '' || readColour(text('SITE_COLOR')) !== undefined,
      'a colour such as #b5341c',
    ),
    mapTiles: must(
      'MAP_TILES',
      text('MAP_TILES'),
      text('MAP_TILES') === '' || isTiles,
      'an http or https address with {z}, {x} and {y}',
    ),
    mapAttribution: must(
      'MAP_ATTRIBUTION',
      text('MAP_ATTRIBUTION'),
      !isTiles || text('MAP_ATTRIBUTION') !== '',
      'set with MAP_TILES',
    ),
    smtpUrl: must(
      'SMTP_URL',
      text('SMTP_URL'),
      text('SMTP_URL') === '' || readMailServer(text('SMTP_URL')) !== undefined,
      'a URL such as smtps://user:password@mail.example, or smtp:// with ?starttls=required, offered or off',
    ),
    mailFrom: must(
      'MAIL_FROM',
      text('MAIL_FROM'),
      text('MAIL_FROM') === ''
        ? readMailServer(text('SMTP_URL')) === undefined
        : readSender(text('MAIL_FROM')) !== undefined,
      'an address such as Calendar <calendar@example.org>, and set with SMTP_URL',
    ),
    submissions: oneOf('SUBMISSIONS', ['on', 'off']) === 'on',
    submissionsDays: whole('SUBMISSIONS_DAYS', 1, 99_999),
    submissionsMail: must(
      'SUBMISSIONS_MAIL',
      list(text('SUBMISSIONS_MAIL')),
      text('SUBMISSIONS_MAIL') === '' ||
        (text('SMTP_URL') !== '' && text('SUBMISSIONS_MAIL').split(',').every(isAddressOfMail)),
      'addresses separated by commas, such as events@example.org, and set with SMTP_URL',
    ),
    given: Object.keys(SETTINGS).filter(
      (name) => env[name]?.trim() || (name === 'COMPAT_PREFIXES' && env[name] !== undefined),
    ),
    warnings: [...strayNames(env, Object.keys(SETTINGS)), ...unreachable(host, env.BASE_URL, base)],
  }
  must(
    'WORKERS',
    config.workers,
    !(config.workers > 1 && database === ':memory:'),
    '1 if DATABASE is :memory:, which no other process can open',
  )
  must('REPLICA', database, postgres === undefined || database !== ':memory:', 'the path of a file')
  if (mistakes.length > 0)
    throw Object.assign(
      new Error(
        `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
      ),
      { unusable: true },
    )
  return config

  function mirrored(): Source[] | undefined {
    const sources = readSources(text('MIRROR'))
    const isFine = sources.every(({ address }) => isOther(webAddress(address), base))
    must(
      'MIRROR',
      sources,
      isFine,
      'http or https URLs of other calendars without credentials in them, each alone or as Category=URL',
    )
    const twice = isFine ? findTwice(sources) : undefined
    must('MIRROR', sources, twice === undefined, `a list that names ${twice} once`)
    return sources.length > 0 ? sources : undefined
  }
  function openid() {
    const [issuer, id] = [text('OPENID_ISSUER'), text('OPENID_CLIENT_ID')]
    const isFine = issuer === '' || isIssuer(issuer)
    must('OPENID_ISSUER', issuer, isFine, 'an https URL without query, or an http URL of this machine')
    must('OPENID_ISSUER', issuer, issuer === '' || id !== '', 'set with OPENID_CLIENT_ID')
    must('OPENID_ISSUER', issuer, issuer === '' || text('DESK') !== 'off', 'set with DESK=on')
    must('OPENID_CLIENT_ID', id, id === '' || issuer !== '', 'set with OPENID_ISSUER')
    return {
      openidIssuer: issuer || undefined,
      openidClientId: id || undefined,
      openidClientSecret: text('OPENID_CLIENT_SECRET') || undefined,
      openidName: text('OPENID_NAME'),
      openidScopes: must(
        'OPENID_SCOPES',
        text('OPENID_SCOPES'),
        text('OPENID_SCOPES').split(/\s+/).includes('openid'),
        'scopes separated by spaces, with openid among them',
      ),
      openidRoles: must(
        'OPENID_ROLES',
        text('OPENID_ROLES'),
        text('OPENID_ROLES') === '' || readRoleClaim(text('OPENID_ROLES')) !== undefined,
        'a claim and its values with their roles, such as groups:calendar-editors=editor,calendar-admins=administrator',
      ),
      openidNewUsers: oneOf('OPENID_NEW_USERS', [
        'refuse',
        ...ROLES.filter((role) => role !== 'administrator'),
      ]) as Config['openidNewUsers'],
    }
  }
  function perMinute(name: 'RATE_LIMIT' | 'COST_LIMIT', what: string): number | undefined {
    const given = text(name)
    if (given === 'off') return undefined
    return must(name, Number(given), /^[1-9]\d{0,6}$/.test(given), `off, or a number of ${what} per minute`)
  }
  function daysOrOff(name: keyof typeof SETTINGS): number | undefined {
    const days = text(name)
    const isNumber = /^[1-9]\d{0,4}$/.test(days)
    return days === 'off'
      ? undefined
      : must(name, Number(days), isNumber, 'off, or a number of days from 1 to 99999')
  }

  function page(name: 'SITE_HEADER' | 'SITE_FOOTER'): string {
    return must(name, text(name), /^$|\.html?$/i.test(text(name)), 'the path of an .html file')
  }
  function links(name: 'SITE_MENU' | 'SITE_LINKS'): string {
    return must(
      name,
      text(name),
      readLinks(text(name)) !== undefined,
      'texts with their addresses, such as Town hall https://town.example; Legal notice /legal/',
    )
  }

  function oneOf(name: keyof typeof SETTINGS, words: string[]): string {
    return must(name, text(name), words.includes(text(name)), `one of ${words.join(', ')}`)
  }
}

/** All addresses at once: a server can listen there, but no client can connect to it. */
const EVERYWHERE = ['0.0.0.0', '::', '[::]']
const unreachable = (host: string, given: string | undefined, base: string) =>
  EVERYWHERE.includes(host) && !given?.trim()
    ? [`HOST is ${host} and BASE_URL is not set: links start with ${base}, which other machines can not open`]
    : []

const isAddress = (text: string) =>
  ipaddr.isValid(text) || ipaddr.isValidCIDR(text) || ['loopback', 'linklocal', 'uniquelocal'].includes(text)
const isAddressOfMail = (text: string) => isMailAddress(text.trim())
/** A host, or several, and a database. Whether they exist is found out at the start. */
const isPostgres = (url: string) =>
  /^postgres(ql)?:\/\/([^/?#@]*@)?[^/?#@,]+(,[^/?#@,]+)*\/[^/?#]+(\?.*)?$/i.test(url) &&
  urlsOf(url).every((one) => URL.canParse(one))
/** The address of another service, not of this one. */
function isOther(url: string, base: string): boolean {
  if (!URL.canParse(url) || `${url}/`.startsWith(`${base}/`)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username + password === ''
}
const isPath = (path: string) => /^[\w-]+(\/[\w-]+)*$/.test(path)

/** An address with a place for each number of a tile, and for nothing else. */
const isTileUrl = (url: string) => {
  const places = url.match(/\{\w*\}/g) ?? []
  return /^https?:/.test(url) && URL.canParse(url) && places.sort().join() === '{x},{y},{z}'
}
