import type { Command } from 'commander'
import { UserInput } from '../../../../schemas/user.ts'
import { mustFind, operatorOf, type Shell, tell, withStore } from '../../../commands/shell.ts'
import { readConfig } from '../../../config.ts'
import type { User } from '../../../kernel/access/users.ts'
import { within } from '../../../kernel/cli.ts'

/** A user as commands print one. */
export const brief = ({ id, login, name, email, role, disabled }: User) => ({
  ...{ id, login, ...(name !== '' && { name }), ...(email !== null && { email }) },
  ...{ role, disabled },
})

/** The page of the desk where a person chooses a password. */
export const invitationUrl = (shell: Shell, ticket: string) =>
  `${readConfig(shell.env).baseUrl}/desk/#/invitation/${ticket}`
/** The words beside such a link. */
export const ABOUT_LINK = 'Link to choose a password (works once, for 7 days)'

type Person = { name?: string; email?: string; json?: boolean }

/** `user invite|edit`: what users are called, where mail reaches them, and links with which they choose a password. */
export function addPeopleCommands(user: Command, shell: Shell) {
  user
    .command('invite')
    .description('print a link with which a user chooses a password; the one before ends')
    .argument('<login>')
    .option('--json', 'print JSON')
    .action((login: string, { json }: Person) =>
      withStore(shell, async (store) => {
        const { id, login: known } = await mustFind(store, login)
        const { ticket, expires_utc } = await store.people.invite(id, operatorOf(shell))
        const url = invitationUrl(shell, ticket)
        tell(shell, json, { id, login: known, url, expires_utc }, `${ABOUT_LINK}: ${url}`)
      }),
    )
  user
    .command('edit')
    .description('change the name or the address of a user')
    .argument('<login>')
    .option('--name <name>', 'name that others are shown', within(UserInput.properties.name))
    .option('--email <address>', 'address of mail', within(UserInput.properties.email))
    .option('--json', 'print JSON')
    .action((login: string, { name, email, json }: Person) =>
      withStore(shell, async (store) => {
        const { id } = await mustFind(store, login)
        const set = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) }
        const changed = await store.users.update(id, set, operatorOf(shell))
        tell(shell, json, brief(changed), `${changed.login} is changed.`)
      }),
    )
}
