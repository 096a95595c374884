import type { Caller, LimitSet } from '../../src/kernel/access/rights.ts'

/** Limits as the session tells them, with all that is below and translated: each set has to allow an event. */
export type Sets = readonly LimitSet[] | undefined
type Named = { id: number }
/** What says of a record whether it is within: of an event its categories and venues, as far as they were read. */
export type Located = Named & { categories?: readonly Named[] | undefined; venue?: unknown }

const venuesIn = (venue: unknown): Named[] =>
  [venue].flat().filter((one): one is Named => typeof one === 'object' && one !== null && 'id' in one)

/** Whether limits allow a record. */
export const isAllowed = (sets: Sets, { id, categories = [], venue }: Located): boolean =>
  !sets ||
  sets.every(
    (set) =>
      set.venues.includes(id) ||
      categories.some((one) => set.categories.includes(one.id)) ||
      venuesIn(venue).some((one) => set.venues.includes(one.id)),
  )

/** A user with limits, as rules about one record take it. */
export const callerFor = (
  { user: id, role, limits }: { user: number; role: NonNullable<Caller>['role']; limits?: Sets },
  record?: Located,
): Caller => ({
  ...{ id, role },
  ...(limits && {
    limits: { given: limits, sets: limits, covers: () => record !== undefined && isAllowed(limits, record) },
  }),
})

/** The IDs of a kind that every set has. */
export const inAll = (sets: NonNullable<Sets>, kind: keyof LimitSet): number[] =>
  (sets[0]?.[kind] ?? []).filter((id) => sets.every((set) => set[kind].includes(id)))
