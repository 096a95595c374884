import type { ServiceFeature } from '../../src/features/host.ts'
import { FEATURES } from '../../src/features.ts'

/** Features, with those that can not be without one of them. */
export function withDependents(absent: readonly ServiceFeature[]): readonly ServiceFeature[] {
  const names = absent.map(({ name }) => name)
  const all = FEATURES.filter(
    ({ name, needs = [] }) => names.includes(name) || needs.some((needed) => names.includes(needed)),
  )
  return all.length === absent.length ? absent : withDependents(all)
}
