import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { type ImportOptions, importFrom } from '../imports/import.ts'
import { type Named, OUTCOMES, type Report } from '../imports/report.ts'
import { findRoot, PLURALS, readRoot } from '../imports/source.ts'
import { openWeb, type WebOptions } from '../imports/web.ts'
import { openPictures } from '../media/pictures.ts'
import { VERSION } from '../package.ts'
import type { User } from '../store/accounts/users.ts'
import { openShare } from '../store/open.ts'
import type { RecordKind, Store } from '../store/store.ts'
import { openMediaFolder } from '../support/media-folder.ts'
import { many, quiet } from './database.ts'
import { interruptible } from './terminal/interruption.ts'
import { withBar } from './terminal/progress.ts'
import { fail, mustFind, operatorOf, type Shell, tell, withStore } from './terminal/shell.ts'

type Options = ImportOptions & { credentials?: string; author?: string; json?: boolean }

/** `import`: takes the records of another calendar, and later what changed there. */
export function addImportCommand(command: Command, shell: Shell) {
  command
    .description(
      'import another calendar by its API, or bring what was imported up to date; also while the service runs',
    )
    .argument('<url>', 'its API, such as https://old.example/wp-json/tribe/events/v1, or the site')
    .option('--dry-run', 'only tell what would be done')
    .option('--credentials <file>', 'file with login:password or a token for the source')
    .option('--author <login>', 'user who owns what is imported; default: the first administrator')
    .option(
      '--language <code>',
      'language of records that do not tell theirs; default: the first of LANGUAGES',
    )
    .option('--no-media', 'do not download pictures')
    .option('--series', 'make series of events that look like dates of one')
    .option('--keep', 'leave what is gone from the source')
    .option('--force', 'move it to the trash even if that is much')
    .option('--json', 'print JSON')
    .action((url: string, options: Options) => take(shell, readRoot(url), options))
}

async function take(shell: Shell, address: string, { credentials, author, json, ...options }: Options) {
  const config = readConfig(shell.env)
  const authorization = credentials === undefined ? undefined : authorizationIn(credentials)
  const share = openShare(config)
  try {
    await withStore(shell, async (store) => {
      const { languages } = store.site
      if (options.language !== undefined && !languages.includes(options.language))
        throw fail(`"${options.language}" is none of the languages of this calendar: ${languages.join(', ')}`)
      const { id, role } = await ownerOf(store, author)
      const writer = { caller: { id, role }, by: operatorOf(shell), language: languages[0]! }
      const report = await interruptible((signal) =>
        withBar(quiet(shell, json), 'Importing', async (progress) => {
          const web = webOf(signal, authorization)
          return importFrom(
            {
              ...{ store, writer, web, root: await findRoot(openWeb(web), address) },
              pictures: picturesOf(store, config, share),
              progress: (done, total, counts) => progress(done, total, `, ${countsOf(counts)}`),
            },
            options,
          )
        }),
      )
      tell(shell, json, report, words(report))
    })
  } finally {
    await share?.close()
  }
}

const webOf = (signal: AbortSignal, authorization: string | undefined): WebOptions => ({
  ...{ fetch: globalThis.fetch, clock: Date.now, userAgent: `Almanac/${VERSION}`, authorization, signal },
  pause: (milliseconds) => wait(milliseconds, undefined, { signal }),
})

const picturesOf = (store: Store, config: Config, share: ReturnType<typeof openShare>) =>
  openPictures(store.media, {
    folder: openMediaFolder(resolve(config.mediaDir), share),
    base: config.baseUrl,
    clock: Date.now,
    download: { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` },
  })

/** The header for the credentials in a file: an application password with its login, or a token. */
function authorizationIn(file: string): string {
  const text = readFileSync(file, 'utf8').trim()
  if (text === '') throw fail(`${file}: has no credentials; write login:password or a token into it`)
  return text.includes(':') ? `Basic ${Buffer.from(text).toString('base64')}` : `Bearer ${text}`
}

/** Who owns what is imported. */
async function ownerOf(store: Store, login: string | undefined): Promise<User> {
  const user =
    login === undefined
      ? (await store.users.list()).find(({ role, disabled }) => role === 'administrator' && !disabled)
      : await mustFind(store, login)
  if (!user)
    throw fail(
      'there is no administrator who could own the records; add one: almanac user add <login> --role administrator',
    )
  if (!['editor', 'administrator'].includes(user.role))
    throw fail(
      `${user.login} has the role ${user.role}; who owns what is imported has to be an editor or an administrator`,
    )
  return user
}

/** Records that are named; of the others only the number is told. */
const SHOWN = 50
const CALLED: Record<string, string> = {
  same: 'unchanged',
  left: 'left as edited here',
  refused: 'not taken',
  gone: 'gone',
  kept: 'gone but kept',
}

/** Numbers by what became of records, in words. */
const countsOf = (counts: Partial<Record<string, number>>): string =>
  OUTCOMES.filter((outcome) => counts[outcome])
    .map((outcome) => `${counts[outcome]!.toLocaleString('en')} ${CALLED[outcome] ?? outcome}`)
    .join(', ') || 'nothing yet'

function listed(title: string, all: Named[]): string[] {
  if (all.length === 0) return []
  const lines = all.slice(0, SHOWN).map(({ kind, id, name, why }) => `  ${kind} ${id} "${name}": ${why}`)
  return [
    title,
    ...lines,
    ...(all.length > SHOWN ? [`  and ${all.length - SHOWN} more, which --json names`] : []),
  ]
}

function words({ source, dry_run, counts, refused, left, notes, alike }: Report): string {
  const kinds = Object.entries(counts) as [RecordKind, Record<string, number>][]
  const rows = kinds.map(([kind, own]) => `  ${PLURALS[kind].padEnd(12)}${countsOf(own)}`)
  const series = alike
    .slice(0, SHOWN)
    .map(({ name, ids, rule }) => `  "${name}": ${many(ids.length, 'event')} (${rule})`)
  return [
    dry_run ? `An import from ${source} would be this, and wrote nothing:` : `Imported from ${source}:`,
    ...(rows.length > 0 ? rows : ['  no records']),
    ...listed('Not taken:', refused),
    ...listed('Left as they are:', left),
    ...listed('Taken, but not whole:', notes),
    ...(series.length > 0
      ? ['These look like series; --series makes some of events that were not imported yet:', ...series]
      : []),
  ].join('\n')
}
