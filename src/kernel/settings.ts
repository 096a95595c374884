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
/** The values of the settings that features declare; who declares some adds them here. */
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
