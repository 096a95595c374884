import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { UserInput } from '../../../../schemas/user.ts'
import {
  fail,
  isMissing,
  mustFind,
  operatorOf,
  type Shell,
  tell,
  withStore,
} from '../../../commands/shell.ts'
import { readConfig } from '../../../config.ts'
import { ROLES, type Role } from '../../../kernel/access/roles.ts'
import { LOGIN } from '../../../kernel/access/users.ts'
import { within } from '../../../kernel/cli.ts'
import { addPasswordCommand } from './passwords.ts'
import { ABOUT_LINK, addPeopleCommands, brief, invitationUrl } from './people.ts'

const roleOption = () => new Option('--role <role>', 'role of the user').choices(ROLES).makeOptionMandatory()

function readLogin(login: string): string {
  if (!LOGIN.test(login))
    throw new InvalidArgumentError('A login has 1 to 60 characters: letters, digits, and . _ - @.')
  return login
}

type Added = { role: Role; name?: string; email?: string; invite?: boolean; json?: boolean }

/** `user add|list|password|role|disable|remove`, and those of `people.ts`. */
export function addUserCommands(user: Command, shell: Shell) {
  user
    .command('add')
    .description('add a user and print a new application password, or a link to choose a password')
    .argument('<login>', 'name to sign in with', readLogin)
    .addOption(roleOption())
    .option('--name <name>', 'name that others are shown', within(UserInput.properties.name))
    .option('--email <address>', 'address of mail', within(UserInput.properties.email))
    .option('--invite', 'print a link with which the user chooses a password instead')
    .option('--json', 'print JSON')
    .action((login: string, { role, name, email, invite, json }: Added) => {
      const { database, postgres } = readConfig(shell.env)
      const isNew = postgres === undefined && isMissing({ database })
      return withStore(
        shell,
        async ({ users, people }) => {
          const by = operatorOf(shell)
          const person = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) }
          const made = invite
            ? await people.add({ login, role, ...person }, by)
            : await users.add(login, role, { by, ...person })
          if (!made) throw fail(`a user "${login}" exists already`)
          const added = 'user' in made ? made.user : made
          const { id } = added
          if (isNew)
            shell.complain(
              `almanac: a new database was created: ${resolve(database)}; a service with another DATABASE does not know this user\n`,
            )
          const secret =
            'ticket' in made ? { url: invitationUrl(shell, made.ticket) } : { password: made.password }
          const words = 'url' in secret ? ABOUT_LINK : 'Application password (shown only once)'
          const told = `Added ${added.login} (${role}).\n${words}: ${Object.values(secret)[0]}`
          tell(shell, json, { id, login: added.login, role, ...secret }, told)
        },
        'create',
      )
    })
  user
    .command('list')
    .description('list the users')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withStore(shell, async ({ users }) => {
        const all = (await users.list()).map(brief)
        const line = ({ id, login, role, disabled }: (typeof all)[number]) =>
          `${String(id).padStart(4)}  ${login.padEnd(24)} ${role}${disabled ? ' (disabled)' : ''}`
        tell(shell, json, all, all.map(line).join('\n'))
      }),
    )
  addPasswordCommand(user, shell)
  addPeopleCommands(user, shell)
  user
    .command('role')
    .description('change the role of a user')
    .argument('<login>')
    .addOption(roleOption())
    .option('--json', 'print JSON')
    .action((login: string, { role, json }: { role: Role; json?: boolean }) =>
      withStore(shell, async (store) => {
        const changed = await store.users.update(
          (await mustFind(store, login)).id,
          { role },
          operatorOf(shell),
        )
        tell(shell, json, brief(changed), `${changed.login} now has the role ${role}.`)
      }),
    )
  user
    .command('disable')
    .description('reject the credentials of a user')
    .argument('<login>')
    .option('--undo', 'accept them again')
    .option('--json', 'print JSON')
    .action((login: string, { undo, json }: { undo?: boolean; json?: boolean }) =>
      withStore(shell, async (store) => {
        const changed = await store.users.update(
          (await mustFind(store, login)).id,
          { disabled: !undo },
          operatorOf(shell),
        )
        tell(shell, json, brief(changed), `${changed.login} is ${undo ? 'enabled' : 'disabled'}.`)
      }),
    )
  user
    .command('remove')
    .description('remove a user with all credentials')
    .argument('<login>')
    .option('--reassign <login>', 'new owner of the records of the user')
    .option('--json', 'print JSON')
    .action((login: string, { reassign, json }: { reassign?: string; json?: boolean }) =>
      withStore(shell, async (store) => {
        const heir = reassign === undefined ? undefined : (await mustFind(store, reassign)).id
        const removed = await store.users.remove((await mustFind(store, login)).id, heir, operatorOf(shell))
        tell(shell, json, brief(removed), `${removed.login} is removed.`)
      }),
    )
}
