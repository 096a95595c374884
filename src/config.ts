import { type Config, SERVICE_SETTINGS } from './calendar/config.ts'
import { FEATURES } from './features.ts'
import {
  type DeclaredConfig,
  isPostgres,
  printSettings,
  readSettings,
  type SettingTable,
  strayNames,
} from './kernel/settings.ts'

/** Every setting, with those that features declare. */
export const SETTINGS: typeof SERVICE_SETTINGS & SettingTable = Object.assign(
  {},
  SERVICE_SETTINGS,
  ...FEATURES.map(({ settings }) => settings),
)

/** Reads the configuration. Throws one error that lists every mistake. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const values = readSettings(SETTINGS, env) as unknown as DeclaredConfig
  const { database, replica, host, baseUrl } = values
  const postgres = isPostgres(database) ? database : undefined
  return {
    ...values,
    database: postgres === undefined ? database : replica,
    postgres,
    given: Object.keys(SETTINGS).filter(
      (name) => env[name]?.trim() || (name === 'COMPAT_PREFIXES' && env[name] !== undefined),
    ),
    warnings: [...strayNames(env, Object.keys(SETTINGS)), ...unreachable(host, env.BASE_URL, baseUrl)],
  }
}

/** The settings as they are written in the environment. */
export const valuesOf = ({ postgres, database, ...config }: Config): Record<keyof typeof SETTINGS, string> =>
  printSettings(SETTINGS, {
    ...config,
    database: postgres ?? database,
    replica: postgres === undefined ? SETTINGS.REPLICA?.default : database,
  })

/** All addresses at once: a server can listen there, but no client can connect to it. */
const EVERYWHERE = ['0.0.0.0', '::', '[::]']
const unreachable = (host: string, given: string | undefined, base: string) =>
  EVERYWHERE.includes(host) && !given?.trim()
    ? [`HOST is ${host} and BASE_URL is not set: links start with ${base}, which other machines can not open`]
    : []
