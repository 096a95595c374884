import { hostname } from 'node:os'
import { and, asc, count, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { audit, audit_gate, users } from '../../../drizzle/tables.ts'
import type { AuditCode, AuditOrigin, AuditSubject } from '../../../schemas/audit-codes.ts'
import { columnsOf, type Db, prepared, type Queries } from '../database/db.ts'
import type { Site } from '../site.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import type { Caller } from './rights.ts'

/** Who does something, and from where: the address of a client, or the host of a command and of the service itself. */
export type Actor = { caller?: Caller; origin: AuditOrigin; address: string }

/** The service itself, without anybody who asked for it. */
export const SERVICE: Actor = { origin: 'service', address: hostname() }

/** A write of which the audit log tells: its transaction, the clock, and who does it. */
export type Audited = { tx: Queries; site: Pick<Site, 'clock'>; by: Actor }
export type Subject = { kind: AuditSubject; id: number }
/** What is worth knowing of it by name, never a secret. Without a value it is left out. */
export type Details = Record<string, string | number | boolean | readonly string[] | null | undefined>
export type AuditRow = typeof audit.$inferSelect
export type AuditFilter = {
  codes?: AuditCode[] | undefined
  user?: number | undefined
  login?: string | undefined
  kind?: AuditSubject | undefined
  id?: number | undefined
  address?: string | undefined
  /** Wall clocks of UTC: from the first on, and before the second. */
  from?: string | undefined
  until?: string | undefined
}
type Paging = { page: number; per_page: number; order?: 'asc' | 'desc' | undefined }

/** Greatest length of a detail, and of an address, which a trusted proxy may forward as it likes. */
const LONGEST = 200
/** Rows that are removed in one transaction. */
const BATCH = 1_000
const DAY = 86_400_000

/** A text on one line of any terminal. */
function short(text: string): string {
  const plain = withoutControls(text)
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain
}
const textsOf = (details: Details) =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : [[name, short(Array.isArray(value) ? value.join(', ') : String(value))]],
    ),
  )

const loginById = prepared((db) =>
  db
    .select({ login: users.login })
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare(),
)
/** The login of a user; undefined if there is none. */
export const loginOf = (tx: Queries, id: number): string | undefined => loginById(tx).get({ id })?.login

const insertEntry = prepared((db) => db.insert(audit).values(columnsOf(audit)).prepare())

/** Adds a row to the audit log, in the transaction of what it tells of. `times` counts repetitions. */
export async function record(
  { tx, site, by }: Audited,
  code: AuditCode,
  subject?: Subject,
  details: Details = {},
  times = 1,
) {
  const { caller } = by
  const login = (caller && loginOf(tx, caller.id)) ?? null
  await insertEntry(tx).execute({
    ...entryOf(site.clock(), by, code, subject, details, times),
    id: null,
    login,
  })
}

/** A row of the log, without its ID, at a time in Unix milliseconds. The login of the caller is for whoever knows it. */
export function entryOf(
  now: number,
  { caller, origin, address }: Actor,
  code: AuditCode,
  subject: Subject | undefined,
  details: Details,
  times = 1,
): Omit<AuditRow, 'id'> {
  return {
    ...{ at_utc: toWall(now, 'UTC'), code, origin, address: short(address) },
    ...{ user_id: caller?.id ?? null, login: null, credential: caller?.credential ?? null },
    ...{ subject_kind: subject?.kind ?? null, subject_id: subject?.id ?? null },
    ...{ details: textsOf(details), count: times },
  }
}

/** The members of a record that another state of it changes, each with both values: `role: author → editor`. */
export function differences(before: Details, after: Details): Details {
  const [was, is] = [textsOf(before), textsOf(after)]
  return Object.fromEntries(
    Object.keys({ ...was, ...is }).flatMap((name) =>
      was[name] === is[name] ? [] : [[name, `${was[name]} → ${is[name]}`]],
    ),
  )
}

/** Lets rows of the log be removed or replaced while `work` runs: by retention, or by a copy that follows another. */
export async function withOpenGate<T>(tx: Queries, work: () => Promise<T>): Promise<T> {
  await tx.insert(audit_gate).values({ id: 1 })
  const done = await work()
  await tx.delete(audit_gate)
  return done
}

function conditionOf({ codes, user, login, kind, id, address, from, until }: AuditFilter): SQL | undefined {
  return and(
    codes && inArray(audit.code, codes),
    user === undefined ? undefined : eq(audit.user_id, user),
    login === undefined ? undefined : eq(audit.login, login),
    kind && eq(audit.subject_kind, kind),
    id === undefined ? undefined : eq(audit.subject_id, id),
    address === undefined ? undefined : eq(audit.address, address),
    from === undefined ? undefined : gte(audit.at_utc, from),
    until === undefined ? undefined : lt(audit.at_utc, until),
  )
}

/** The audit log: reading it, adding what has no transaction of its own, and removing what is old. */
export function openAudit(db: Db, site: Site) {
  return {
    /** A page of rows that match, the latest first unless `order` says otherwise, and how many there are. */
    async list(filter: AuditFilter, { page, per_page, order = 'desc' }: Paging) {
      const where = conditionOf(filter)
      const rows: AuditRow[] = await db.read
        .select()
        .from(audit)
        .where(where)
        .orderBy(order === 'desc' ? desc(audit.id) : asc(audit.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(audit).where(where)
      return { rows, total: all!.total }
    },
    /** Adds a row in a transaction of its own. `at` is when it happened, in Unix milliseconds. */
    note: (
      by: Actor,
      code: AuditCode,
      subject?: Subject,
      details?: Details,
      times?: number,
      at = site.clock(),
    ): Promise<void> =>
      db.write((tx) => record({ tx, site: { clock: () => at }, by }, code, subject, details, times)),
    /** The addresses from which a credential was used, as far as the log tells, and how many of them the last day added. */
    async addressesOf({ kind, id }: Subject): Promise<{ addresses: string[]; lately: number }> {
      const rows = await db.read
        .select({ address: audit.address, at: sql<string>`max(${audit.at_utc})` })
        .from(audit)
        .where(
          and(
            eq(audit.subject_kind, kind),
            eq(audit.subject_id, id),
            inArray(audit.code, ['session_created', 'credential_used']),
          ),
        )
        .groupBy(audit.address)
      const since = toWall(site.clock() - DAY, 'UTC')
      return {
        addresses: rows.map(({ address }) => address),
        lately: rows.filter(({ at }) => at > since).length,
      }
    },
    /** Removes a batch of rows that are older than so many days, the oldest first. Returns whether there may be more of them. */
    async removeOld(days: number): Promise<boolean> {
      const before = toWall(site.clock() - days * DAY, 'UTC')
      const old = db.read
        .select({ id: audit.id })
        .from(audit)
        .where(lt(audit.at_utc, before))
        .orderBy(asc(audit.at_utc), asc(audit.id))
        .limit(BATCH)
        .all()
        .map(({ id }) => id)
      if (old.length === 0) return false
      await db.write((tx) =>
        withOpenGate(tx, async () => void (await tx.delete(audit).where(inArray(audit.id, old)))),
      )
      return old.length === BATCH
    },
  }
}
export type Audit = ReturnType<typeof openAudit>
