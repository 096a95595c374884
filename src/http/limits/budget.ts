/** A limit on the bytes in use at the same time: in total, and for each user. */
export function openBudget(all: number, each: number) {
  let taken = 0
  const shares = new Map<string, number>()
  return {
    /** Reserves bytes; returns which limit prevents it, if any. */
    take(bytes: number, user: string): 'own' | 'all' | undefined {
      const share = (shares.get(user) ?? 0) + bytes
      if (share > each) return 'own'
      if (taken + bytes > all) return 'all'
      taken += bytes
      shares.set(user, share)
      return undefined
    },
    give(bytes: number, user: string) {
      const share = shares.get(user)! - bytes
      taken -= bytes
      if (share === 0) shares.delete(user)
      else shares.set(user, share)
    },
  }
}
