import { hostname } from 'node:os'
import type { Actor } from './access/audit-log.ts'

/** The environment that a command runs in. Tests pass their own. */
export type Shell = {
  env: Record<string, string | undefined>
  print(text: string): void
  complain(text: string): void
  /** Whether standard output is a terminal. */
  terminal: boolean
  /** Whether what is printed may be stored, although it goes to a terminal: the log of a container keeps what its first process prints. */
  logged?: boolean
  /** The file of this program, by which a command starts further processes of it; without it, commands work alone. */
  program?: string
}

/** Whoever runs a command, as the audit log names them: the user of the operating system and the host. */
export const operatorOf = ({ env }: Pick<Shell, 'env'>): Actor => ({
  origin: 'command',
  address: `${env.SUDO_USER ?? env.USER ?? `uid ${process.getuid!()}`}@${hostname()}`,
})

/** Prints a result, as JSON or in words. */
export const tell = (shell: Shell, json: boolean | undefined, record: object, words: string) =>
  shell.print(json ? `${JSON.stringify(record)}\n` : `${words}\n`)

/** An error that is reported by its message, without a stack. */
export const fail = (message: string) => Object.assign(new Error(message), { unusable: true })

/** A number with its thousands apart. */
export const number = (value: number) => value.toLocaleString('en')
/** A number with its noun. */
export const many = (value: number, what: string) => `${number(value)} ${what}${value === 1 ? '' : 's'}`

/** Where a bar is shown: not beside JSON. */
export const quiet = ({ terminal }: Shell, json: boolean | undefined) => ({ terminal: terminal && !json })
