/** Variables that are no settings and no mistake: those of the workers, and what Kubernetes sets for a service called almanac. */
const OTHERS = /^ALMANAC_(WORKERS|WRITES|(SERVICE|PORT)_.*)$/

/** Warnings about variables that are not read, but probably meant as one of the settings `known`. */
export function strayNames(env: Record<string, string | undefined>, known: readonly string[]): string[] {
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || OTHERS.test(name) || isOther(name, env[name] ?? '')) return []
    const prefixed = /^ALMANAC_/i.test(name)
    const near = nearest(name.replace(/^ALMANAC_/i, ''), known)
    if (near) return [`${name} is not a setting; ${near} is`]
    return prefixed ? [`${name} is not a setting; no setting begins with ALMANAC_`] : []
  })
}

/** LANGUAGE has a meaning to many other programs: a locale, or several with colons between them. Kubernetes sets an URL. */
const isOther = (name: string, value: string) =>
  (name === 'LANGUAGE' && !value.includes(',')) || (name === 'ALMANAC_PORT' && value.includes('://'))

const plain = (name: string) => name.toUpperCase().replaceAll(/[^A-Z]/g, '')

/** The known name that differs by case, separators and one letter at most, or in a long one with the same beginning by two. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const given = plain(name)
  return known
    .map((other) => ({ other, steps: distance(given, plain(other)) }))
    .filter(({ other, steps }) => steps <= (other.length > 7 && other[0] === given[0] ? 2 : 1))
    .sort((a, b) => a.steps - b.steps)[0]?.other
}

/** Letters to insert, delete, replace, or swap with the next one, to come from one text to the other (optimal string alignment). */
export function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1]
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(
        Math.min(
          rows[i - 1]![j]! + 1,
          row[j - 1]! + 1,
          rows[i - 1]![j - 1]! + (same ? 0 : 1),
          swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
