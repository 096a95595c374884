import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { readConfig, SETTINGS, valuesOf } from '../src/config.ts'
import { FEATURES } from '../src/features.ts'
import { ALONE, filesOf as filesOfGroup, GROUPS } from './support/groups.ts'

const ROOT = new URL('..', import.meta.url).pathname

/** The storeys of the house from the top, with what files they are; a file imports from its own and from those below. */
const STOREYS: [name: string, files: RegExp][] = [
  ['app', /^src\/(?!kernel\/|calendar\/|features\/|package$)/],
  ['features', /^src\/features\//],
  ['calendar', /^src\/calendar\//],
  ['kernel', /^src\/kernel\//],
  ['drizzle', /^drizzle\//],
  ['schemas', /^schemas\//],
  ['package', /^src\/package$/],
]
/** Packages that only some storeys know. */
const OWNERS: Record<string, string[]> = {
  fastify: ['app', 'features', 'calendar', 'kernel'],
  'drizzle-orm': ['features', 'calendar', 'kernel', 'drizzle'],
  'better-sqlite3': ['features', 'calendar', 'kernel'],
  '@sinclair/typebox': ['features', 'calendar', 'kernel', 'schemas'],
  commander: ['app', 'features', 'kernel'],
}

const filesOf = (folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replace(/\.ts$/, '')}`),
  )
const files = filesOf(['src', 'schemas', 'drizzle'])
const textOf = (file: string) => readFileSync(join(ROOT, `${file}.ts`), 'utf8')
const storeyOf = (file: string) => STOREYS.findIndex(([, files]) => files.test(file))
const featureOf = (file: string) => /^src\/features\/(\w+)\//.exec(file)?.[1]
const importsOf = (file: string, text = textOf(file)) =>
  [...text.matchAll(/^(?:import|\} from|export .* from)\b[^']*'([^']+)'/gm)].map(([, name]) =>
    name!.startsWith('.') ? normalize(join(dirname(file), name!)).replace(/\.ts$/, '') : name!,
  )

/** Which other features a feature may import from. */
const NEEDS = new Map(FEATURES.map(({ name, needs = [] }) => [name, needs]))

/** Whether a file may import another one. What a feature has is imported by the list, and by features that need it. */
function mayImport(file: string, name: string) {
  const [own, other] = [featureOf(file), featureOf(name)]
  if (other) return own ? own === other || NEEDS.get(own)!.includes(other) : file === 'src/features'
  return storeyOf(file) <= storeyOf(name)
}

t.test(
  'a file imports from its own storey and those below; a feature is imported by those that need it, and by the list',
  async (t) => {
    for (const file of files)
      for (const name of importsOf(file))
        if (files.includes(name)) t.ok(mayImport(file, name), `${file} imports ${name}`)
  },
)

t.test('the kernel knows no word of the calendar', async (t) => {
  const words = /venue|organizer|categor|\bical\b|icalendar|recurren|occurrence|\bseries\b/i
  for (const file of files.filter(
    (name) => storeyOf(name) === STOREYS.findIndex(([name]) => name === 'kernel'),
  ))
    t.same(
      textOf(file)
        .split('\n')
        .filter((line) => words.test(line)),
      [],
      file,
    )
})

t.test('packages are known to some storeys alone', async (t) => {
  for (const file of files)
    for (const name of importsOf(file)) {
      const owners = Object.entries(OWNERS).find(([owned]) => name === owned || name.startsWith(`${owned}/`))
      if (owners) t.ok(owners[1].includes(STOREYS[storeyOf(file)]![0]), `${file} imports ${name}`)
    }
})

t.test('routes of the calendar know nothing of its store but the interface', async (t) => {
  const routes = files.filter((file) => /^src\/calendar\/(routes|resource)\//.test(file))
  const known = routes.flatMap((file) =>
    importsOf(file)
      .filter(
        (name) => /^src\/(calendar\/(?!media\/)\w+\/|kernel\/database\/)/.test(name) && INSIDE.test(name),
      )
      .map((name) => `${file} imports ${name}`),
  )
  t.same(known, [])
})
/** The folders behind `src/calendar/store.ts`. */
const INSIDE = /^src\/(calendar\/(check|index|lists|records|search|views)|kernel\/database)\//

t.test('every file is imported by another, and one alone reads the environment', async (t) => {
  const imported = new Set(files.flatMap((file) => importsOf(file)))
  t.same(files.filter((file) => !imported.has(file)).sort(), ['src/main'])
  t.same(
    files.filter((file) => textOf(file).includes('process.env')),
    ['src/main'],
  )
})

t.test('every test file is run by one group, or by itself', async (t) => {
  const started = (folder: string) => readdirSync(join(ROOT, folder)).map((name) => name.replace(/\.ts$/, ''))
  t.same(started('test/groups').sort(), Object.keys(GROUPS).sort())
  const grouped = Object.keys(GROUPS).flatMap(filesOfGroup)
  const tests = filesOf(['test', 'tools/test'])
    .filter((file) => file.endsWith('.test'))
    .map((file) => `${file}.ts`)
  t.same([...grouped, ...ALONE].sort(), tests.sort())
  const include = JSON.stringify(['test/groups/*.ts', ...ALONE])
  t.ok(readFileSync(join(ROOT, '.taprc'), 'utf8').includes(`include: ${include.replaceAll(',', ', ')}\n`))
})

t.test('tests in tools get no other version of a package than those of the root', async (t) => {
  const [root, tools] = ['', 'tools/'].map(
    (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8')).packages,
  )
  const names = new Set(filesOf(['tools/test']).flatMap((file) => importsOf(file)))
  t.ok(names.has('temporal-polyfill'))
  for (const at of [...names].map((name) => `node_modules/${name}`))
    if (root[at] && tools[at]) t.equal(tools[at].version, root[at].version, at)
})

t.test('what is checked after `npm ci` alone needs no package of tools', async (t) => {
  const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
  const [own, more] = [read('package.json'), read('tools/package.json')].map(
    ({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }),
  )
  const lacking = new Set(more!.filter((name) => !own!.includes(name)))
  const left = (read('tsconfig.json').exclude as string[]).map((path) => path.replace(/\.ts$/, ''))
  const tools = ['tools', 'tools/long'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replace(/\.ts$/, '')}`),
  )
  const checked = [...files, ...filesOf(['test', 'bench', 'demo']), ...tools].filter(
    (file) => !left.includes(file),
  )
  const wrong = checked.flatMap((file) =>
    importsOf(file)
      .filter(
        (name) => left.includes(name) || lacking.has(name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
      )
      .map((name) => `${file} imports ${name}`),
  )
  t.same(wrong, [], 'these belong to `exclude` of tsconfig.json')
})

/** Follows imports from each of these files, and says which ways lead back. Returns the files that were seen. */
function findCircles(t: Test, all: Set<string>, importsOf: (file: string) => string[]) {
  const done = new Set<string>()
  const follow = (file: string, way: string[]) => {
    if (way.includes(file)) t.fail([...way, file].join(' imports '))
    if (way.includes(file) || done.has(file)) return
    for (const name of importsOf(file)) if (all.has(name)) follow(name, [...way, file])
    done.add(file)
  }
  for (const file of all) follow(file, [])
  return done
}

t.test('no file needs itself by way of others', async (t) => {
  const all = new Set([...files, ...filesOf(['test/support', 'tools/test/support', 'bench', 'demo'])])
  const valuesOf = (file: string) => importsOf(file, textOf(file).replace(/^import type [^']*'[^']+'/gm, ''))
  t.ok(findCircles(t, all, valuesOf).has('bench/fuzz/main'))
})

t.test('no file of the desk, the schemas and the formats imports itself by way of others', async (t) => {
  const desk = readdirSync(join(ROOT, 'desk'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `desk/${name}`)
  const deskImports = (file: string) =>
    [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(
        /^(?:import|\} from|export .* from)\b[^']*'(\.[^']+)'/gm,
      ),
    ].map(([, name]) => normalize(join(dirname(file), name!)))
  t.ok(findCircles(t, new Set(desk), deskImports).has('desk/pages/event/editor.tsx'))
  t.ok(
    findCircles(
      t,
      new Set(filesOf(['schemas', 'src/calendar/formats', 'src/features/feeds/formats'])),
      importsOf,
    ).has('schemas/links'),
  )
})

t.test('tests of features lie in folders of their names', async (t) => {
  const names = FEATURES.map(({ name }) => name)
  for (const folder of ['test/features', 'tools/test/features'])
    for (const name of readdirSync(join(ROOT, folder))) t.ok(names.includes(name), `${folder}/${name}`)
})

t.test('every file and folder that the guides for developers name is there', async (t) => {
  for (const page of ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/internals.md']) {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const paths = [...text.matchAll(/`((?:src|schemas|drizzle|desk|test|tools|bench|docs)\/[\w./-]*)`/g)]
    t.ok(paths.length > 20)
    for (const [, path] of paths) t.ok(existsSync(join(ROOT, path!)), `${page} names ${path}`)
  }
})

const PAGE = readFileSync(new URL('../docs/reference/settings.md', import.meta.url), 'utf8')

t.test('the documentation lists every setting with its default and meaning, and no other', async (t) => {
  const listed = PAGE.split('\n').filter((line) => line.startsWith('| `'))
  const settings = Object.entries(SETTINGS).map(
    ([name, setting]) =>
      `| \`${name}\` | ${setting.default && `\`${setting.default}\``} | ${setting.meaning} |`,
  )
  t.same(listed.sort(), settings.sort())
})

t.test('an empty environment gives the documented defaults', async (t) => {
  const defaults = {
    host: '127.0.0.1',
    port: 3000,
    database: 'data/almanac.db',
    postgres: undefined,
    replica: 'data/replica.db',
    logDays: 7,
    staleReads: true,
    baseUrl: 'http://127.0.0.1:3000',
    namespace: 'calendar/events/v1',
    compatPrefixes: ['/wp-json/tribe/events/v1'],
    compatLanguages: 'first',
    timezone: 'UTC',
    languages: ['en', 'ca', 'es'],
    currency: 'USD',
    logLevel: 'info',
    durability: 'full',
    corsOrigins: [],
    trustProxy: false,
    rateLimit: undefined,
    costLimit: 20_000,
    changesDays: 30,
    seriesDays: 730,
    auditDays: 365,
    revisionsDays: 365,
    downloadAllow: [],
    webhooks: true,
    maxAge: 0,
    mediaDir: 'data/media',
    workers: 1,
    mirror: undefined,
    mirrorCredentials: undefined,
    mirrorWrites: 'refuse',
    check: false,
    maxDelay: 1000,
    stopTimeout: 10,
    listeners: 5000,
    metricsToken: undefined,
    metricsPort: undefined,
    ...{ smtpUrl: '', mailFrom: '' },
    pages: true,
    desk: true,
    localSignIn: true,
    ...{ openidIssuer: undefined, openidClientId: undefined, openidClientSecret: undefined },
    ...{ openidName: '', openidScopes: 'openid email profile', openidRoles: '', openidNewUsers: 'refuse' },
    siteName: 'Almanac',
    siteLogo: '',
    siteStylesheet: '',
    ...{ siteHeader: '', siteFooter: '', siteWords: '', siteMenu: '', siteLinks: '' },
    siteColor: '',
    mapTiles: '',
    mapAttribution: '',
    ...{ smtpUrl: '', mailFrom: '', submissions: false, submissionsDays: 90, submissionsMail: [] },
    digest: false,
    given: [],
    warnings: [],
  }
  t.same(readConfig({}), defaults)
  const blank = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ' ']))
  t.same(
    readConfig(blank),
    { ...defaults, compatPrefixes: [], given: ['COMPAT_PREFIXES'] },
    'blank is not set, but for the prefixes',
  )
})

/** What it takes to sign in with a provider. */
const OPENID = { OPENID_ISSUER: 'https://id.example/town', OPENID_CLIENT_ID: 'calendar' }

t.test('settings that follow from others, or have several forms', async (t) => {
  for (const [env, part] of [
    [{ HOST: '0.0.0.0', PORT: '80' }, { baseUrl: 'http://0.0.0.0:80' }],
    [{ HOST: '::1' }, { baseUrl: 'http://[::1]:3000' }],
    [{ BASE_URL: 'https://example.org/calendar/' }, { baseUrl: 'https://example.org/calendar' }],
    [{ DATABASE: '/srv/almanac/calendar.db' }, { mediaDir: '/srv/almanac/media' }],
    [{ DATABASE: ':memory:' }, { mediaDir: 'data/media' }],
    [{ DATABASE: '/srv/calendar.db', MEDIA_DIR: '/mnt/pictures' }, { mediaDir: '/mnt/pictures' }],
    [{ NAMESPACE: '/agenda/v2/' }, { namespace: 'agenda/v2' }],
    [{ COMPAT_PREFIXES: 'a/b/, /c' }, { compatPrefixes: ['/a/b', '/c'] }],
    [{ COMPAT_LANGUAGES: 'all' }, { compatLanguages: 'all' }],
    [{ TIMEZONE: 'europe/madrid' }, { timezone: 'Europe/Madrid' }],
    [{ LANGUAGES: ' eu , en-GB' }, { languages: ['eu', 'en-GB'] }],
    [{ CURRENCY: 'eur' }, { currency: 'EUR' }],
    [{ TRUST_PROXY: 'on' }, { trustProxy: true }],
    [{ TRUST_PROXY: '10.0.0.1' }, { trustProxy: '10.0.0.1' }],
    [{ TRUST_PROXY: 'loopback, fd00::/8' }, { trustProxy: 'loopback, fd00::/8' }],
    [{ CHECK: 'on' }, { check: true }],
    [
      { MIRROR: 'https://old.example/', MIRROR_CREDENTIALS: '/run/secrets/old' },
      { mirror: [{ address: 'https://old.example/' }], mirrorCredentials: '/run/secrets/old' },
    ],
    [
      {
        MIRROR:
          ' Live music=https://band.example/feed/?a=b=c,\n webcal://club.example/e.ics,https://c.example',
      },
      {
        mirror: [
          { address: 'https://band.example/feed/?a=b=c', category: 'Live music' },
          { address: 'webcal://club.example/e.ics' },
          { address: 'https://c.example' },
        ],
      },
      { MIRROR: 'https://old.example/', MIRROR_CREDENTIALS: '/run/secrets/old', MIRROR_WRITES: 'forward' },
      { mirror: 'https://old.example/', mirrorCredentials: '/run/secrets/old', mirrorWrites: 'forward' },
    ],
    [{ METRICS_TOKEN: 'secret' }, { metricsToken: 'secret' }],
    [{ METRICS_PORT: '9100' }, { metricsPort: 9100 }],
    [{ PAGES: 'off' }, { pages: false }],
    [{ DESK: 'off' }, { desk: false }],
    [
      { ...OPENID, OPENID_NEW_USERS: 'author', OPENID_SCOPES: 'openid  groups', LOCAL_SIGN_IN: 'off' },
      { openidIssuer: OPENID.OPENID_ISSUER, openidNewUsers: 'author', localSignIn: false },
    ],
    [{ ...OPENID, OPENID_ISSUER: 'http://[::1]:9000' }, { openidIssuer: 'http://[::1]:9000' }],
    [
      { SITE_LOGO: '/srv/logo.SVG', SITE_COLOR: '#B31' },
      { siteLogo: '/srv/logo.SVG', siteColor: '#B31' },
    ],
    [
      { MAP_TILES: 'https://t.example/{z}/{x}/{y}.png', MAP_ATTRIBUTION: '© T' },
      { mapTiles: 'https://t.example/{z}/{x}/{y}.png', mapAttribution: '© T' },
    ],
    [
      { SMTP_URL: 'smtps://a:b@mail.example', MAIL_FROM: 'Calendar <c@d.example>' },
      { smtpUrl: 'smtps://a:b@mail.example', mailFrom: 'Calendar <c@d.example>' },
    ],
    [{ MAIL_FROM: 'c@d.example' }, { mailFrom: 'c@d.example' }],
    [
      { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'c@d.example', SUBMISSIONS: 'on', SUBMISSIONS_DAYS: '7' },
      { smtpUrl: 'smtp://mail.example', submissions: true, submissionsDays: 7 },
    ],
    [
      {
        SMTP_URL: 'smtp://localhost',
        MAIL_FROM: 'c@d.example',
        SUBMISSIONS_MAIL: ' a@d.example,b@e.example',
      },
      { submissionsMail: ['a@d.example', 'b@e.example'] },
    ],
    [{ RATE_LIMIT: '600' }, { rateLimit: 600 }],
    [{ COST_LIMIT: '600' }, { costLimit: 600 }],
    [{ COST_LIMIT: 'off' }, { costLimit: undefined }],
    [{ CHANGES_DAYS: '7' }, { changesDays: 7 }],
    [{ CHANGES_DAYS: 'off' }, { changesDays: undefined }],
    [{ SERIES_DAYS: '3650' }, { seriesDays: 3_650 }],
    [{ LISTENERS: '1000000' }, { listeners: 1_000_000 }],
    [
      { STOP_TIMEOUT: '3600', MAX_DELAY: '60000' },
      { stopTimeout: 3_600, maxDelay: 60_000 },
    ],
    [{ AUDIT_DAYS: '730' }, { auditDays: 730 }],
    [{ REVISIONS_DAYS: 'off' }, { revisionsDays: undefined }],
    [{ AUDIT_DAYS: 'off' }, { auditDays: undefined }],
    [
      { CORS_ORIGINS: 'https://a.example, http://b.example:81' },
      { corsOrigins: ['https://a.example', 'http://b.example:81'] },
    ],
    [{ DOWNLOAD_ALLOW: 'images.example, 10.0.0.0/8' }, { downloadAllow: ['images.example', '10.0.0.0/8'] }],
  ])
    t.match(readConfig(env as Record<string, string>), part!, JSON.stringify(env))
})

t.test('settings are told as they were set, also where they are off', async (t) => {
  for (const env of [
    { RATE_LIMIT: '600', COST_LIMIT: '700', CHANGES_DAYS: '7', AUDIT_DAYS: '730' },
    { MIRROR: 'Live music=https://band.example/feed/ https://club.example' },
    { RATE_LIMIT: 'off', COST_LIMIT: 'off', CHANGES_DAYS: 'off', AUDIT_DAYS: 'off' },
  ])
    t.match(valuesOf(readConfig(env)), env)
})

const BAD = {
  PORT: ['x', '-1', '65536', '80.5'],
  LOG_DAYS: ['0', '3651'],
  BASE_URL: ['example.org', 'ftp://example.org', 'https://example.org/?a=b'],
  NAMESPACE: ['/', 'a b', 'a//b'],
  COMPAT_PREFIXES: ['/', '/a,b c'],
  COMPAT_LANGUAGES: ['en', 'none'],
  TIMEZONE: ['Mars', 'UTC+15', 'Europe'],
  LANGUAGES: [',', 'EN', 'english'],
  CURRENCY: ['€', 'EURO'],
  LOG_LEVEL: ['loud'],
  DURABILITY: ['none'],
  CORS_ORIGINS: ['*', 'example.org', 'https://example.org/'],
  TRUST_PROXY: ['yes', '10.0.0.1, proxy.example'],
  RATE_LIMIT: ['0', 'on', '1.5', '10000000'],
  COST_LIMIT: ['0', 'on', '1.5', '10000000'],
  MAX_AGE: ['-1', '31536001'],
  WORKERS: ['0', '65', 'all'],
  MIRROR: [
    ...['old.example', 'ftp://old.example', 'https://me:secret@old.example', 'http://127.0.0.1:3000/x'],
    ...['https://a.example Music', 'Music https://a.example', 'https://a.example/x webcal://A.example/x/#y'],
  ],
  MIRROR_WRITES: ['pass', 'on'],
  CHECK: ['yes'],
  CHANGES_DAYS: ['0', 'never', '1.5'],
  SERIES_DAYS: ['0', 'off', '3651'],
  AUDIT_DAYS: ['0', 'always'],
  REVISIONS_DAYS: ['0', 'always'],
  MAX_DELAY: ['-1', 'off', '60001'],
  STOP_TIMEOUT: ['0', 'never', '3601'],
  LISTENERS: ['0', '1000001'],
  METRICS_PORT: ['0', 'x', '65536'],
  PAGES: ['no'],
  LOCAL_SIGN_IN: ['no'],
  OPENID_SCOPES: ['email', 'openidemail'],
  OPENID_ROLES: ['groups', 'groups:', 'groups:a', 'groups:a=chief', 'groups:=editor', 'groups:a=editor,'],
  OPENID_NEW_USERS: ['administrator', 'yes'],
  SITE_LOGO: ['logo.pdf', '/srv/logo'],
  SITE_STYLESHEET: ['style.scss'],
  SITE_HEADER: ['header.txt'],
  SITE_FOOTER: ['footer'],
  SITE_WORDS: ['words.json', '{language}.yaml'],
  SITE_MENU: ['Town'],
  SITE_LINKS: ['Bad javascript:alert(1)'],
  SITE_COLOR: ['red', '#12', '#12345g'],
  MAP_TILES: ['t.example/{z}/{x}/{y}', 'https://t.example/{z}/{x}', 'https://{s}.t.example/{z}/{x}/{y}'],
  SMTP_URL: [
    ...[
      'mail.example',
      'https://mail.example',
      'smtp://',
      'smtp://mail.example/x',
      'smtp://%zz@mail.example',
    ],
    ...['smtp://mail.example?starttls=no', 'smtps://mail.example?starttls=off', 'smtp://mail.example?x=1'],
  ],
  MAIL_FROM: ['calendar', 'Calendar <a@b.example', 'a@b.example, c@d.example', 'a@b..example'],
  SUBMISSIONS: ['yes'],
  SUBMISSIONS_DAYS: ['0', 'off', '100000'],
  SUBMISSIONS_MAIL: ['editors', 'events@d.example'],
}

t.test('a value that can not be used is refused by its name, with what would be right', async (t) => {
  for (const [name, values] of Object.entries(BAD))
    for (const value of values)
      t.throws(
        () => readConfig({ [name]: value }),
        {
          message: new RegExp(`^The configuration has a mistake:\n  ${name} must be [^\n]+$`),
          unusable: true,
        },
        `${name}=${value}`,
      )
})

t.test('a number that is too large is refused with its bounds', async (t) => {
  const numbers = ['PORT', 'RATE_LIMIT', 'COST_LIMIT', 'MAX_AGE', 'WORKERS', 'CHANGES_DAYS', 'SERIES_DAYS']
  numbers.push('AUDIT_DAYS', 'REVISIONS_DAYS', 'MAX_DELAY', 'STOP_TIMEOUT', 'LISTENERS', 'METRICS_PORT')
  for (const name of [...numbers, 'SUBMISSIONS_DAYS'])
    t.throws(
      () => readConfig({ [name]: '99999999999' }),
      /\n {2}[A-Z_]+ must be [^\n]* from \d+ to \d+; /,
      name,
    )
})

t.test('editors are told at addresses of mail, if mail is sent', async (t) => {
  const mail = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'c@d.example' }
  for (const wrong of [
    'editors',
    'a@d.example b@d.example',
    'a@d.example,,b@d.example',
    'A <a@d.example>',
    ',',
  ])
    t.throws(
      () => readConfig({ ...mail, SUBMISSIONS_MAIL: wrong }),
      /SUBMISSIONS_MAIL must be addresses/,
      wrong,
    )
})

t.test('credentials for a source need a source', async (t) => {
  t.throws(
    () => readConfig({ MIRROR_CREDENTIALS: '/run/secrets/old' }),
    /MIRROR_CREDENTIALS must be set with MIRROR/,
  )
  t.throws(
    () => readConfig({ MIRROR: 'https://old.example/', MIRROR_WRITES: 'forward' }),
    /MIRROR_WRITES must be refuse, or set with MIRROR_CREDENTIALS and one URL in MIRROR/,
  )
  const two = { MIRROR: 'https://a.example https://b.example', MIRROR_CREDENTIALS: '/run/secrets/both' }
  t.throws(() => readConfig({ ...two, MIRROR_WRITES: 'forward' }), /MIRROR_WRITES must be refuse/)
})

t.test('a provider needs what signing in with it takes', async (t) => {
  for (const [env, told] of [
    [{ OPENID_ISSUER: OPENID.OPENID_ISSUER }, /OPENID_ISSUER must be set with OPENID_CLIENT_ID/],
    [{ OPENID_CLIENT_ID: 'calendar' }, /OPENID_CLIENT_ID must be set with OPENID_ISSUER/],
    [{ ...OPENID, DESK: 'off' }, /OPENID_ISSUER must be set with DESK=on/],
    [{ LOCAL_SIGN_IN: 'off' }, /LOCAL_SIGN_IN must be on, or set with OPENID_ISSUER/],
  ] as const)
    t.throws(() => readConfig(env), told)
  for (const OPENID_ISSUER of [
    'id.example',
    'http://id.example',
    'https://a:b@id.example',
    'https://id.example/?a',
  ])
    t.throws(
      () => readConfig({ ...OPENID, OPENID_ISSUER }),
      /OPENID_ISSUER must be an https URL/,
      OPENID_ISSUER,
    )
})

t.test('maps say whose they are', async (t) => {
  t.throws(() => readConfig({ MAP_TILES: 'https://t.example/{z}/{x}/{y}' }), {
    message: /MAP_ATTRIBUTION must be set with MAP_TILES/,
  })
})

t.test('the copy of a node is a file', async (t) => {
  const env = { DATABASE: 'postgres://calendar@db.example/calendar', REPLICA: ':memory:' }
  t.throws(() => readConfig(env), { message: /REPLICA must be the path of a file; it is ":memory:"/ })
  t.equal(readConfig({ ...env, DATABASE: 'a.db' }).database, 'a.db')
})

t.test('several processes need a database that all of them see', async (t) => {
  const env = { DATABASE: ':memory:', WORKERS: '2' }
  t.throws(() => readConfig(env), { message: /WORKERS must be 1 if DATABASE is :memory:/, unusable: true })
  t.equal(readConfig({ ...env, WORKERS: '01' }).workers, 1)
})

t.test('all mistakes are told in one message', async (t) => {
  const env = Object.fromEntries(Object.entries(BAD).map(([name, [value]]) => [name, value]))
  try {
    readConfig(env)
    t.fail('taken')
  } catch (error) {
    const [first, ...lines] = (error as Error).message.split('\n')
    t.equal(first, 'The configuration has mistakes:')
    t.same(
      lines.map((line) => /^ {2}(\w+) must be .+; it is ".+"\.$/.exec(line)?.[1]).sort(),
      Object.keys(BAD).sort(),
    )
  }
})

const here = (path: string) => new URL(`../${path}`, import.meta.url)
const SECURITY = readFileSync(here('SECURITY.md'), 'utf8')

t.test('every threat of the ten has what stops it, and tests that exist', async (t) => {
  const rows = SECURITY.split('\n').filter((line) => line.startsWith('| API'))
  t.same(
    rows.map((row) => /^\| API(\d+) /.exec(row)?.[1]),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  )
  for (const row of rows) {
    const [, threat = '', stops = '', shown = ''] = row.split('|').map((cell) => cell.trim())
    t.ok(stops.length > 20, threat)
    t.match(shown, /^`(tools\/)?test\/[\w./-]+`/, threat)
  }
  for (const [, file] of SECURITY.matchAll(/`((?:tools\/)?test\/[^`]+)`/g))
    t.ok(existsSync(here(file!)), `${file} exists`)
})

t.test('it says how to report, and nothing that is not there', async (t) => {
  t.match(SECURITY, /private vulnerability reporting/)
  t.notMatch(SECURITY, /@\w+\.\w+|mailto:/)
  const README = readFileSync(here('README.md'), 'utf8')
  t.match(README, '[SECURITY.md](SECURITY.md)')
})
