import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { openBodies } from '../../../calendar/readers.ts'
import { interruptible, withBar } from '../../../kernel/cli.ts'
import { openFetch } from '../../../kernel/outbound/requests.ts'
import { fail, many, quiet, tell } from '../../../kernel/shell.ts'
import { VERSION } from '../../../package.ts'
import type { Tools } from '../../host.ts'
import { discover } from '../feeds/discovery.ts'
import { type FeedReport, importFeed } from '../feeds/import.ts'
import { webAddress } from '../mirror/sources.ts'
import { importCalendar, type SiteImportOptions } from '../site/import.ts'
import { PLURALS, readRoot } from '../site/source.ts'
import { type NamedRecord, OUTCOMES, type SiteReport } from '../site/sync-state.ts'
import { authorizationFor, openWeb, type WebOptions } from '../site/web.ts'
import type { RecordKind } from '../store.ts'
import { picturesOf, writerOf } from './context.ts'
import { reportWords, undoWords } from './file.ts'

export type SiteOptions = SiteImportOptions & { credentials?: string; author?: string; json?: boolean }

/** Imports the calendar or the feed at an address. */
export async function importSite(
  shell: Tools,
  url: string,
  { credentials, author, json, ...options }: SiteOptions,
) {
  const address = webAddress(url)
  readRoot(address)
  const config = shell.config()
  const authorization =
    credentials === undefined ? undefined : authorizationFor(readFileSync(credentials, 'utf8'), credentials)
  const share = shell.openShare(config)
  try {
    await shell.withStore(async (store) => {
      const writer = await writerOf(shell, store, { author, language: options.language })
      const { role } = writer.caller
      if (!['editor', 'administrator'].includes(role))
        throw fail(
          `${author} has the role ${role}; who owns what is imported has to be an editor or an administrator`,
        )
      const pictures = picturesOf(store, config, share)
      const report = await interruptible((signal) =>
        withBar(quiet(shell, json), 'Importing', async (progress) => {
          const fetch = openFetch({ named: [new URL(address).host], allow: config.downloadAllow })
          const web = webOf(signal, fetch, authorization)
          const feed = { address: address.replace(/#.*$/, ''), shown: url }
          const found = await discover(openWeb(web), feed)
          if (typeof found === 'object' && options.series)
            throw fail(`--series is for sites, and ${url} is a feed, whose rules become series anyway`)
          if (typeof found === 'object') {
            const read = openBodies(store.site.languages)
            return importFeed(
              { store, writer, pictures, read, signal, progress, ...feed },
              found.text,
              options,
            )
          }
          return importCalendar(
            {
              store,
              writer,
              web,
              root: found,
              pictures,
              progress: (done, total, counts) => progress(done, total, `, ${countsOf(counts)}`),
            },
            options,
          )
        }),
      )
      if ('told' in report)
        tell(shell, json, { dry_run: options.dryRun === true, ...report }, feedWords(report, options))
      else tell(shell, json, report, words(report))
    })
  } finally {
    await share?.close()
  }
}

const webOf = (
  signal: AbortSignal,
  fetch: WebOptions['fetch'],
  authorization: string | undefined,
): WebOptions => ({
  fetch,
  clock: Date.now,
  userAgent: `Almanac/${VERSION}`,
  authorization,
  signal,
  pause: (milliseconds) => wait(milliseconds, undefined, { signal }),
})

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

function listed(title: string, all: NamedRecord[]): string[] {
  if (all.length === 0) return []
  const lines = all.slice(0, SHOWN).map(({ kind, id, name, why }) => `  ${kind} ${id} "${name}": ${why}`)
  return [
    title,
    ...lines,
    ...(all.length > SHOWN ? [`  and ${all.length - SHOWN} more, which --json names`] : []),
  ]
}

function feedWords(report: FeedReport, { dryRun = false }: SiteImportOptions): string {
  const gone = report.gone.map(({ kind, id, name, why }) => ({
    kind,
    id,
    name,
    why: why ?? 'moved to the trash',
  }))
  const added = Object.values(report.counts).reduce((sum, counts) => sum + counts.added, 0)
  return [
    reportWords(report, dryRun),
    ...listed('Gone from the feed:', gone),
    ...undoWords(report.run, added),
  ].join('\n')
}

function words({ source, run, dry_run, counts, refused, left, notes, alike }: SiteReport): string {
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
    ...undoWords(
      run,
      kinds.reduce((sum, [, own]) => sum + (own.created ?? 0), 0),
    ),
  ].join('\n')
}
