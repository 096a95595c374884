import { and, eq, or, sql } from 'drizzle-orm'
import { sign_ins, users } from '../../../../drizzle/tables.ts'
import { hashPassword, knownPasswords, NOBODYS, verifyPassword } from '../../../kernel/access/secrets.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { PASSWORD, passwordProblem, type User } from '../../../kernel/access/users.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { invalid } from '../../../kernel/errors.ts'
import { openSemaphore } from '../../../kernel/tasks/semaphore.ts'

/** Hashes and comparisons at a time, and how many wait: each takes as long and as much memory as scrypt is meant to. */
const AT_ONCE = 1
const MOST_WAITING = 100

/** The same characters are the same password, however a keyboard composes them. */
const composed = (password: string) => password.normalize('NFC')

/** The passwords that people choose themselves: their hashes, and whether one is right. */
export function openOwnPasswords(db: Db) {
  const inTurn = openSemaphore(AT_ONCE, MOST_WAITING)
  return {
    /** The hash of a password that a user chooses. Throws 400 if they can not. */
    async hashed(password: string, user: User): Promise<string> {
      const problem = passwordProblem(composed(password), user, await knownPasswords(PASSWORD.least))
      if (problem) throw invalid({ password: problem })
      return inTurn(() => hashPassword(composed(password)))
    },
    /**
     * The user with this login or address of mail, and their own password if this is it. The work is the same whether there is such a
     * user or not, and whether they have a password or not.
     */
    async verify(name: string, password: string): Promise<{ user?: User; signIn?: SignIn }> {
      const called = name.trim().toLowerCase()
      const [found] = await db.read
        .select({ user: users, signIn: sign_ins })
        .from(users)
        .leftJoin(sign_ins, and(eq(sign_ins.user_id, users.id), eq(sign_ins.kind, 'password')))
        .where(or(eq(users.login, called), eq(users.email, called)))
        .orderBy(sql`${users.login} = ${called} desc`)
        .limit(1)
      const hash = found?.signIn?.secret ?? NOBODYS
      const isRight = await inTurn(() => verifyPassword(composed(password), hash))
      return { ...(found && { user: found.user }), ...(isRight && { signIn: found!.signIn! }) }
    },
  }
}
