import { type Command, InvalidArgumentError } from 'commander'
import { PasswordInput } from '../../../../schemas/user.ts'
import type { Store } from '../../../calendar/store.ts'
import { fail, mustFind, operatorOf, type Shell, tell, withStore } from '../../../commands/shell.ts'
import type { PasswordRow } from '../../../kernel/access/application-passwords.ts'
import type { User } from '../../../kernel/access/users.ts'
import { within } from '../../../kernel/cli.ts'

type Options = { name: string; revoke?: 'all' | number[]; new: boolean; json?: boolean }

/** `user password`: a new application password, also for someone who has lost all; and the others, which it may revoke. */
export function addPasswordCommand(user: Command, shell: Shell) {
  user
    .command('password')
    .description('print a new application password, and list the others; --revoke revokes them')
    .argument('<login>')
    .option(
      '--name <name>',
      'what the password is used for',
      within(PasswordInput.properties.name),
      'command line',
    )
    .option(
      '--revoke <id|all>',
      'revoke an older password, by its ID, or all of them; repeatable',
      readRevoke,
    )
    .option('--no-new', 'only list and revoke')
    .option('--json', 'print JSON')
    .action((login: string, { name, revoke = [], new: isNew, json }: Options) =>
      withStore(shell, async (store) => {
        const user = await mustFind(store, login)
        const revoked = await toRevoke(store, user, revoke)
        const added = isNew ? await store.users.addPassword(user.id, name, operatorOf(shell)) : undefined
        for (const id of revoked) await store.users.removePassword(user.id, id, operatorOf(shell))
        const others = (await store.users.passwords(user.id)).filter(({ id }) => id !== added?.id)
        const result = {
          ...{ login: user.login, disabled: user.disabled },
          ...(added && { id: added.id, name, password: added.password }),
          ...{ revoked, others },
        }
        tell(shell, json, result, words(user, added?.password, revoked, others))
      }),
    )
}

function readRevoke(text: string, before: 'all' | number[] = []): 'all' | number[] {
  if (text === 'all' || before === 'all') return 'all'
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Use the ID of a password, or all.')
  return [...before, Number(text)]
}

/** Throws if one of them is not there, before anything is changed. */
async function toRevoke({ users }: Store, user: User, revoke: 'all' | number[]): Promise<number[]> {
  const ids = (await users.passwords(user.id)).map(({ id }) => id)
  if (revoke === 'all') return ids
  const unknown = revoke.find((id) => !ids.includes(id))
  if (unknown === undefined) return [...new Set(revoke)]
  const known = ids.length > 0 ? `has the passwords ${ids.join(', ')}` : 'has no password'
  throw fail(`${user.login} has no application password ${unknown}; ${user.login} ${known}`)
}

function words(user: User, password: string | undefined, revoked: number[], others: PasswordRow[]): string {
  const { login } = user
  const line = ({ id, name, created_utc, last_used_utc }: PasswordRow) =>
    `${String(id).padStart(4)}  ${name.padEnd(24)} created ${created_utc} UTC, ${last_used_utc === null ? 'never used' : `last used ${last_used_utc} UTC`}`
  return [
    ...(password ? [`Application password of ${login} (shown only once): ${password}`] : []),
    ...(revoked.length > 0 ? [`Revoked: ${revoked.join(', ')}.`] : []),
    ...(others.length > 0
      ? [
          `${login} ${password ? 'also' : 'still'} has these, which --revoke <id|all> revokes:`,
          ...others.map(line),
        ]
      : [`${login} has no ${password ? 'other ' : ''}application password.`]),
    ...(user.disabled
      ? [`${login} is disabled: \`almanac user disable ${login} --undo\` accepts them again.`]
      : []),
  ].join('\n')
}
