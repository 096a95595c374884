import type { LimitSet, Role } from '../../../src/kernel/access/rights.ts'

/** A user who can sign in. */
export type User = {
  id: number
  login: string
  name?: string
  email?: string
  role: Role
  disabled: boolean
  created_utc: string
  limits?: LimitSet
}
