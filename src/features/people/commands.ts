import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { PasswordInput, SCOPES, TokenInput, UserInput } from '../../../schemas/user.ts'
import type { Store } from '../../calendar/store.ts'
import type { PasswordRow } from '../../kernel/access/application-passwords.ts'
import { ROLES, type Role, type TokenScope } from '../../kernel/access/rights.ts'
import { LOGIN, type User } from '../../kernel/access/users.ts'
import { within } from '../../kernel/cli.ts'
import { fail, operatorOf, tell } from '../../kernel/shell.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import type { Tools } from '../host.ts'

const roleOption = () => new Option('--role <role>', 'role of the user').choices(ROLES).makeOptionMandatory()

function readLogin(login: string): string {
  if (!LOGIN.test(login))
    throw new InvalidArgumentError('A login has 1 to 60 characters: letters, digits, and . _ - @.')
  return login
}

type Added = { role: Role; name?: string; email?: string; invite?: boolean; json?: boolean }
type Changed = { json?: boolean }

/** `user add|list|password|invite|edit|role|disable|remove`. */
export function addUserCommands(user: Command, shell: Tools) {
  /** A command about one user. */
  const one = (name: string, description: string) =>
    user.command(name).description(description).argument('<login>')
  /** Changes a user, and prints it. */
  const change = (
    login: string,
    set: Parameters<Store['users']['update']>[1],
    json: boolean | undefined,
    words: (login: string) => string,
  ) =>
    shell.withStore(async (store) => {
      const { id } = await shell.mustFind(store, login)
      const changed = await store.users.update(id, set, operatorOf(shell))
      tell(shell, json, brief(changed), words(changed.login))
    })
  user
    .command('add')
    .description('add a user and print a new application password, or a link to choose a password')
    .argument('<login>', 'name to sign in with', readLogin)
    .addOption(roleOption())
    .option('--name <name>', 'name that others are shown', within(UserInput.properties.name))
    .option('--email <address>', 'address of mail', within(UserInput.properties.email))
    .option('--invite', 'print a link with which the user chooses a password instead')
    .option('--json', 'print JSON')
    .action((login: string, { role, invite, json, ...person }: Added) => {
      const { database, postgres } = shell.config()
      const isNew = postgres === undefined && shell.isMissing({ database })
      return shell.withStore(async ({ users, people }) => {
        const by = operatorOf(shell)
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
        const message = `Added ${added.login} (${role}).\n${words}: ${Object.values(secret)[0]}`
        tell(shell, json, { id, login: added.login, role, ...secret }, message)
      }, 'create')
    })
  user
    .command('list')
    .description('list the users')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      shell.withStore(async ({ users }) => {
        const all = (await users.list()).map(brief)
        const line = ({ id, login, role, disabled }: (typeof all)[number]) =>
          `${String(id).padStart(4)}  ${login.padEnd(24)} ${role}${disabled ? ' (disabled)' : ''}`
        tell(shell, json, all, all.map(line).join('\n'))
      }),
    )
  addPasswordCommand(user, shell)
  one('invite', 'print a link with which a user chooses a password; the one before ends')
    .option('--json', 'print JSON')
    .action((login: string, { json }: Changed) =>
      shell.withStore(async (store) => {
        const { id, login: known } = await shell.mustFind(store, login)
        const { ticket, expires_utc } = await store.people.invite(id, operatorOf(shell))
        const url = invitationUrl(shell, ticket)
        tell(shell, json, { id, login: known, url, expires_utc }, `${ABOUT_LINK}: ${url}`)
      }),
    )
  one('edit', 'change the name or the address of a user')
    .option('--name <name>', 'name that others are shown', within(UserInput.properties.name))
    .option('--email <address>', 'address of mail', within(UserInput.properties.email))
    .option('--json', 'print JSON')
    .action((login: string, { json, ...set }: Changed & { name?: string; email?: string }) =>
      change(login, set, json, (known) => `${known} is changed.`),
    )
  one('role', 'change the role of a user')
    .addOption(roleOption())
    .option('--json', 'print JSON')
    .action((login: string, { role, json }: Changed & { role: Role }) =>
      change(login, { role }, json, (known) => `${known} now has the role ${role}.`),
    )
  one('disable', 'reject the credentials of a user')
    .option('--undo', 'accept them again')
    .option('--json', 'print JSON')
    .action((login: string, { undo = false, json }: Changed & { undo?: boolean }) =>
      change(login, { disabled: !undo }, json, (known) => `${known} is ${undo ? 'enabled' : 'disabled'}.`),
    )
  one('remove', 'remove a user with all credentials')
    .option('--reassign <login>', 'new owner of the records of the user')
    .option('--json', 'print JSON')
    .action((login: string, { reassign, json }: Changed & { reassign?: string }) =>
      shell.withStore(async (store) => {
        const heir = reassign === undefined ? undefined : (await shell.mustFind(store, reassign)).id
        const { id } = await shell.mustFind(store, login)
        const removed = await store.users.remove(id, heir, operatorOf(shell))
        tell(shell, json, brief(removed), `${removed.login} is removed.`)
      }),
    )
}

/** A user as commands print one. */
const brief = ({ id, login, name, email, role, disabled }: User) => ({
  id,
  login,
  ...(name !== '' && { name }),
  ...(email !== null && { email }),
  role,
  disabled,
})

/** The page of the desk where a person chooses a password. */
const invitationUrl = (shell: Tools, ticket: string) =>
  `${shell.config().baseUrl}/desk/#/invitation/${ticket}`
/** The words beside such a link. */
const ABOUT_LINK = 'Link to choose a password (works once, for 7 days)'

type Options = { name: string; revoke?: 'all' | number[]; new: boolean; json?: boolean }

/** `user password`: a new application password, also for someone who has lost all; and the others, which it may revoke. */
function addPasswordCommand(user: Command, shell: Tools) {
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
      shell.withStore(async (store) => {
        const user = await shell.mustFind(store, login)
        const revoked = await toRevoke(store, user, revoke)
        const added = isNew ? await store.users.addPassword(user.id, name, operatorOf(shell)) : undefined
        for (const id of revoked) await store.users.removePassword(user.id, id, operatorOf(shell))
        const others = (await store.users.passwords(user.id)).filter(({ id }) => id !== added?.id)
        const result = {
          login: user.login,
          disabled: user.disabled,
          ...(added && { id: added.id, name, password: added.password }),
          revoked,
          others,
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

type Token = { name: string; scope: TokenScope[]; expires?: string; json?: boolean }

/** `token create|list|revoke`. */
export function addTokenCommands(token: Command, shell: Tools) {
  token
    .command('create')
    .description('create a token and print it')
    .argument('<login>', 'user that the token belongs to')
    .option('--name <name>', 'what the token is used for', within(TokenInput.properties.name), 'token')
    .addOption(
      new Option('--scope <scope...>', 'what the token may do, within the rights of the user')
        .choices(SCOPES)
        .default([...SCOPES]),
    )
    .option('--expires <date>', 'expiry, such as 2027-01-01 or "+90 days" (UTC); default: never', readExpiry)
    .option('--json', 'print JSON')
    .action((login: string, { name, scope, expires, json }: Token) =>
      shell.withStore(async (store) => {
        const user = await shell.mustFind(store, login)
        const made = await store.tokens.add(user.id, name, scope, expires ?? null, operatorOf(shell))
        const { id, token: text, scopes, expires_utc } = made
        tell(
          shell,
          json,
          { id, login: user.login, name, scopes, expires_utc, token: text },
          `Token ${id} of ${user.login} (shown only once): ${text}`,
        )
      }),
    )
  token
    .command('list')
    .description('list the tokens')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      shell.withStore(async ({ tokens }) => {
        const all = await tokens.list()
        const line = ({ id, user_id, name, scopes, expires_utc }: (typeof all)[number]) =>
          `${String(id).padStart(4)}  user ${user_id}  ${name.padEnd(24)} ${scopes.join(',')}${expires_utc ? `  until ${expires_utc} UTC` : ''}`
        tell(shell, json, all, all.map(line).join('\n'))
      }),
    )
  token
    .command('revoke')
    .description('revoke a token at once')
    .argument('<id>', 'ID of the token', readId)
    .option('--json', 'print JSON')
    .action((id: number, { json }: { json?: boolean }) =>
      shell.withStore(async ({ tokens }) => {
        const revoked = await tokens.remove(id, operatorOf(shell))
        tell(shell, json, revoked, `Token ${id} is revoked.`)
      }),
    )
}

function readExpiry(text: string): string {
  const moment = readMoment(text, { now: Date.now(), zone: 'UTC' })
  if (!moment)
    throw new InvalidArgumentError('Use a date such as 2027-01-01, or a relative time such as "+90 days".')
  return inZone(moment, 'UTC')
}

function readId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Use a whole number.')
  return Number(text)
}
