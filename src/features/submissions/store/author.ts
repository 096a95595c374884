import { eq } from 'drizzle-orm'
import { users } from '../../../../drizzle/tables.ts'
import { project } from '../../../calendar/records/projection/project.ts'
import type { Write } from '../../../calendar/records/write.ts'
import { record } from '../../../kernel/access/audit-log.ts'
import type { Caller } from '../../../kernel/access/roles.ts'
import type { Queries } from '../../../kernel/database/db.ts'
import { toWall } from '../../../kernel/time/dates.ts'

const LOGIN = 'submissions'
type Author = NonNullable<Caller>

/** Whether a login is that of the author, and not of a person who has it by chance. */
const fits = ({ role, disabled }: Pick<typeof users.$inferSelect, 'role' | 'disabled'>) =>
  disabled && role === 'contributor'

/** The logins that the author may have: a person may have the first one. */
const nameAt = (at: number) => (at === 1 ? LOGIN : `${LOGIN}-${at}`)

/** The user to whom submissions belong, if there is one yet, and otherwise the login that is free for it. */
async function findAuthor(tx: Queries, at = 1): Promise<Author | { login: string }> {
  const login = nameAt(at)
  const [user] = await tx.select().from(users).where(eq(users.login, login))
  if (!user) return { login }
  return fits(user) ? { id: user.id, role: user.role } : findAuthor(tx, at + 1)
}

/** The ID of the user to whom submissions belong; 0 if there is none any more. */
export async function authorIdIn(tx: Queries): Promise<number> {
  const found = await findAuthor(tx)
  return 'id' in found ? found.id : 0
}

/**
 * The user to whom submissions belong: a contributor, so that all that it writes waits and can name no other author, new category or
 * picture; and disabled, so that nobody signs in as it. It is made when it is needed.
 */
export async function authorOf(w: Pick<Write, 'tx' | 'site' | 'by' | 'now'>): Promise<Author> {
  const found = await findAuthor(w.tx)
  if ('id' in found) return found
  const [user] = await w.tx
    .insert(users)
    .values({ login: found.login, role: 'contributor', disabled: true, created_utc: toWall(w.now, 'UTC') })
    .returning()
  await project(w, 'user', { after: user! })
  const { id, login, role } = user!
  await record(w, 'user_added', { kind: 'user', id }, { login, role })
  return { id, role }
}
