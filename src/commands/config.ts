import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../calendar/config.ts'
import { changeSettings, conflictOf, inOtherLanguages, KEPT, KEPT_NAMES } from '../calendar/settings.ts'
import { readConfig, SETTINGS, valuesOf } from '../config.ts'
import { mustBeOwn, sharedAt } from '../database.ts'
import { withBar } from '../kernel/cli.ts'
import { openDb } from '../kernel/database/db.ts'
import { alone } from '../kernel/database/file.ts'
import { holdsRecords, peekStoredSettings, readStoredSettings } from '../kernel/database/stored-settings.ts'
import { redacted } from '../kernel/settings.ts'
import { fail, operatorOf, type Shell, tell } from '../kernel/shell.ts'
import type { StoredSettings } from '../kernel/site.ts'
import { deriveAgain, named } from './prepare.ts'
import { mustExist } from './tools.ts'

type Name = keyof typeof SETTINGS
type Effective = { value: string; source: 'default' | 'environment' | 'database' }

/** `config` and `config set`. */
export function addConfigCommand(command: Command, shell: Shell) {
  command
    .description('print the settings in effect, and where each comes from')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) => show(shell, json))
  command
    .command('set')
    .description('change settings that the database keeps, and all data that depends on them')
    .argument('<name=value...>', `${KEPT_NAMES.join(', ')}, such as CURRENCY=EUR`, readPair)
    .option('--json', 'print JSON')
    .action((pairs: Pairs, _options: object, { parent }: Command) =>
      change(shell, pairs, parent!.opts().json as boolean | undefined),
    )
}

function show(shell: Shell, json: boolean | undefined) {
  const config = readConfig(shell.env)
  const stored = existsSync(config.database) ? peekStoredSettings(config.database) : undefined
  const conflict = (stored?.held && conflictOf(stored, config)) || ''
  const settings = effectiveOf(config, stored)
  const rows = Object.entries(settings).map(([name, { value, source }]) =>
    `${name.padEnd(16)} ${source.padEnd(13)}${value}`.trimEnd(),
  )
  const warnings = config.warnings.map((warning) => `Warning: ${warning}.`)
  tell(shell, json, { settings, warnings: config.warnings, conflict }, [...rows, ...warnings].join('\n'))
  if (conflict) throw fail(`${config.database}: ${conflict}`)
}

/** The value of each setting and its source. Those that the database keeps are from there, unless the environment sets them. */
function effectiveOf(config: Config, stored: StoredSettings | undefined): Record<Name, Effective> {
  const values = valuesOf({ ...config, ...(stored && unset(config, stored)) })
  const sourceOf = (name: Name) => {
    if (config.given.includes(name)) return 'environment'
    return stored && name in KEPT ? 'database' : 'default'
  }
  const all = Object.entries(values) as [Name, string][]
  return Object.fromEntries(
    all.map(([name, value]) => {
      const shown = SETTINGS[name]!.secret && value !== '' ? '(hidden)' : value
      return [name, { value: shown, source: sourceOf(name) }]
    }),
  ) as Record<Name, Effective>
}

/** What the database keeps of the settings that the environment does not set. */
const unset = ({ given }: Config, stored: StoredSettings): Partial<StoredSettings> =>
  Object.fromEntries(
    KEPT_NAMES.filter((name) => !given.includes(name)).map((name) => [KEPT[name], stored[KEPT[name]]]),
  )

type Pairs = Record<string, string>

function readPair(text: string, before: Pairs | undefined): Pairs {
  const [, name, value] = /^([A-Z_]+)=(.*\S.*)$/.exec(text) ?? []
  if (name && value && KEPT_NAMES.some((known) => known === name)) return { ...before, [name]: value }
  if (name && name in SETTINGS)
    throw new InvalidArgumentError(
      `The database keeps only ${KEPT_NAMES.join(', ')}; set ${name} in the environment.`,
    )
  throw new InvalidArgumentError(`Use ${KEPT_NAMES.map((known) => `${known}=...`).join(', ')}.`)
}

/** Changes what the database keeps, and derives all data again. */
async function change(shell: Shell, pairs: Pairs, json: boolean | undefined) {
  const config = readConfig({ ...shell.env, ...pairs })
  const { postgres: url, database: file } = config
  const { timezone, languages, currency, told, ...result } =
    url === undefined
      ? await changeFile(shell, config, pairs, json)
      : await withBar({ terminal: shell.terminal && !json }, 'Taking all rows', (progress) =>
          sharedAt(url).change({ url, file }, progress, (database) =>
            changeFile({ ...shell, terminal: false }, { ...config, database }, pairs, json),
          ),
        )
  const words = [
    `${redacted(url ?? file)} keeps ${named({ timezone, languages, currency })}.`,
    ...told,
    ...(url === undefined ? [] : ['All nodes take their copies anew now.']),
  ]
  tell(shell, json, { timezone, languages, currency, ...result }, words.join('\n'))
}

/** Changes what a database file keeps while nothing else has it open, and derives all data again. */
async function changeFile(shell: Shell, config: Config, pairs: Pairs, json: boolean | undefined) {
  mustExist(config)
  peekStoredSettings(config.database) // throws if it is not ours, before anything is done to it
  alone(config.database, () => {})
  const db = mustBeOwn(openDb(config.database, { durability: config.durability }), config.database)
  try {
    const before = readStoredSettings(db)
    const given = { ...config, given: Object.keys(pairs) }
    const after: StoredSettings = { ...config, ...(before && unset(given, before)) }
    await changeSettings(db, after, operatorOf(shell))
    const terminal = shell.terminal && !json
    const result = await deriveAgain(db, after, { terminal, print() {} })
    const { timezone, languages, currency } = after
    const others = inOtherLanguages(db, languages)
    const told = [
      `${result.records} records were checked; ${result.corrected} differences were corrected.`,
      ...(others > 0 ? [`${others} records are in languages that LANGUAGES does not name.`] : []),
      ...toldOf(holdsRecords(db) ? conflictOf(after, readConfig(shell.env)) : undefined),
    ]
    return { timezone, languages, currency, ...result, other_languages: others, told }
  } finally {
    db.close()
  }
}

const toldOf = (conflict: string | undefined) =>
  conflict ? ['The environment says otherwise: correct it, or the service will not start.'] : []
