/** What a setting is read with. */
export type Reading = {
  /** The text of this or another setting, or its default; empty of one that no feature declares. */
  text(name?: string): string
  /** The variable of the environment as it is. */
  raw(name: string): string | undefined
  /** Notes a mistake unless the value is right; `what` says what would be. Returns the value. */
  must<T>(value: T, isRight: boolean, what: string): T
}

/** A variable of the environment, as in docs/reference/settings.md. A default that depends on other variables is described in words. */
export type Setting<Value = unknown> = {
  default: string
  meaning: string
  /** Its value, from its text. */
  read(text: string, reading: Reading): Value
  /** A value as it is written in the environment, where that is not obvious, without secrets in it. */
  print?(value: Value): string
  /** Whether it is never shown. */
  secret?: true
}
// biome-ignore lint/suspicious/noExplicitAny: values of all kinds
export type SettingTable = Record<string, Setting<any>>

/** The member of the configuration that has the value of a setting: `logDays` for `LOG_DAYS`. */
export type Member<N extends string> = N extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Member<Rest>>}`
  : Lowercase<N>
/** The values of settings, by their members. */
export type ConfigOf<Table extends SettingTable> = {
  [N in keyof Table & string as Member<N>]: ReturnType<Table[N]['read']>
}
/** The values of all settings; who declares some adds them here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where settings are declared
export interface DeclaredConfig {}

/** The name of the member of a setting. */
export const memberOf = (name: string) =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Any text. */
export const text = (given: string) => given
/** A text, or undefined if it is empty. */
export const optional = (given: string) => given || undefined
/** The items of a text with commas. */
export const list = (given: string) =>
  given
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** One of these words. */
export const oneOf =
  <W extends string>(...words: readonly W[]) =>
  (given: string, { must }: Reading) =>
    must(given as W, words.includes(given as W), `one of ${words.join(', ')}`)

const readSwitch = oneOf('on', 'off')
/** `on` or `off`. */
export const onOrOff = (given: string, reading: Reading) => readSwitch(given, reading) === 'on'

/** A whole number within bounds. */
export const whole =
  (from: number, to: number) =>
  (given: string, { must }: Reading) =>
    must(
      Number(given),
      /^\d+$/.test(given) && Number(given) >= from && Number(given) <= to,
      `a whole number from ${from} to ${to}`,
    )

/** A number of days, or undefined for `off`. */
export const daysOrOff = (given: string, { must }: Reading) =>
  given === 'off'
    ? undefined
    : must(Number(given), /^[1-9]\d{0,4}$/.test(given), 'off, or a number of days from 1 to 99999')

/** A text of this form, or the empty one. */
export const matching =
  (form: RegExp, what: string) =>
  (given: string, { must }: Reading) =>
    must(given, given === '' || form.test(given), what)

/** The URL at which clients reach the service, without a slash at its end. */
export function baseUrlOf({ text, raw }: Pick<Reading, 'text' | 'raw'>): string {
  const host = text('HOST')
  const given = raw('BASE_URL')?.trim() || `http://${host.includes(':') ? `[${host}]` : host}:${text('PORT')}`
  return given.replace(/\/+$/, '')
}

/** Whether a database is one of PostgreSQL, by its URL. */
export const isPostgres = (database: string) => /^postgres(ql)?:/i.test(database)

/** The URLs of a list of hosts, as libpq takes it: postgres://one,two:5433/calendar. */
export function urlsOf(url: string): string[] {
  const [, before, hosts, after] = /^([^:]+:\/\/(?:[^/?@]*@)?)([^/?]*)(.*)$/.exec(url)!
  return hosts!.split(',').map((host) => before + host + after)
}

/** A URL without its password, for people. */
export const redacted = (url: string) =>
  url.replace(/^([^:]+:\/\/[^:/?@]*):.*@/, '$1:***@').replace(/([?&]\w*password=)[^&]*/gi, '$1***')

/** Reads settings from the environment. Throws one error that lists every mistake. */
export function readSettings<Table extends SettingTable>(
  table: Table,
  env: Record<string, string | undefined>,
): ConfigOf<Table> {
  const mistakes: string[] = []
  const textOf = (name: string) => (name in table ? env[name]?.trim() || table[name]!.default : '')
  const values = Object.entries(table).map(([name, { read }]) => {
    const reading: Reading = {
      text: (other = name) => textOf(other),
      raw: (other) => env[other],
      must(value, isRight, what) {
        if (!isRight) mistakes.push(`${name} must be ${what}; it is "${redacted(textOf(name))}".`)
        return value
      },
    }
    return [memberOf(name), read(textOf(name), reading)]
  })
  if (mistakes.length > 0)
    throw Object.assign(
      new Error(
        `The configuration has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
      ),
      { unusable: true },
    )
  return Object.fromEntries(values) as ConfigOf<Table>
}

/** A value as it is written in the environment. Without one, a setting is off, or empty if it is empty by default. */
function print(value: unknown, usual: string): string {
  if (value === undefined) return usual && 'off'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}

/** Settings as they are written in the environment, by their names. */
export const printSettings = <Table extends SettingTable>(
  table: Table,
  values: ConfigOf<Table>,
): Record<keyof Table & string, string> =>
  Object.fromEntries(
    Object.entries(table).map(([name, { default: usual, print: own }]) => {
      const value = values[memberOf(name) as keyof ConfigOf<Table>]
      return [name, own && value !== undefined ? own(value) : print(value, usual)]
    }),
  ) as Record<keyof Table & string, string>

/** Variables that are no settings and no mistake: those of the workers, and what Kubernetes sets for a service called almanac. */
const OTHERS = /^ALMANAC_(WORKERS|WRITES|(SERVICE|PORT)_.*)$/

/** Warnings about variables that are not read, but probably meant as one of the settings `known`. */
export function strayNames(env: Record<string, string | undefined>, known: readonly string[]): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || OTHERS.test(name) || isOther(name, env[name] ?? '')) return []
    const prefixed = /^ALMANAC_/i.test(name)
    const near = nearest(name.replace(/^ALMANAC_/i, ''), known)
    if (near) return [`${name} is not a setting; ${near} is`]
    return prefixed ? [`${name} is not a setting; no setting begins with ALMANAC_`] : []
  })
}

/** LANGUAGE has a meaning to many other programs: a locale, or several with colons between them. Kubernetes sets an URL. */
const isOther = (name: string, value: string) =>
  (name === 'LANGUAGE' && !value.includes(',')) || (name === 'ALMANAC_PORT' && value.includes('://'))

const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '')

/** The known name that differs by case, separators and one letter at most, or in a long one with the same beginning by two. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const given = plain(name)
  return known
    .filter((other) => Math.abs(plain(other).length - given.length) <= 2) // most need not be compared by letters
    .map((other) => ({ other, steps: distance(given, plain(other)) }))
    .filter(({ other, steps }) => steps <= (other.length > 7 && other[0] === given[0] ? 2 : 1))
    .sort((a, b) => a.steps - b.steps)[0]?.other
}

/** Letters to insert, delete, replace, or swap with the next one, to come from one text to the other (optimal string alignment). */
export function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1]
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(
        Math.min(
          rows[i - 1]![j]! + 1,
          row[j - 1]! + 1,
          rows[i - 1]![j - 1]! + (same ? 0 : 1),
          swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
