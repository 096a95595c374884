/** Bytes that may be in use at a time: in all, and by one user of them. */
export function openBudget(all: number, each: number) {
  let taken = 0
  const shares = new Map<string, number>()
  return {
    /** Takes so many bytes; says whose bound stands against it, where one does. */
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
