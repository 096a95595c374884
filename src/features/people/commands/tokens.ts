import { type Command, InvalidArgumentError, Option } from 'commander'
import { SCOPES, TokenInput } from '../../../../schemas/user.ts'
import { mustFind, operatorOf, type Shell, tell, withStore } from '../../../commands/shell.ts'
import type { TokenScope } from '../../../kernel/access/roles.ts'
import { within } from '../../../kernel/cli.ts'
import { inZone, readMoment } from '../../../kernel/time/moments.ts'

/** `token create|list|revoke`. */
export function addTokenCommands(token: Command, shell: Shell) {
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
    .action(
      (
        login: string,
        {
          name,
          scope,
          expires,
          json,
        }: { name: string; scope: TokenScope[]; expires?: string; json?: boolean },
      ) =>
        withStore(shell, async (store) => {
          const user = await mustFind(store, login)
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
      withStore(shell, async ({ tokens }) => {
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
      withStore(shell, async ({ tokens }) => {
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
