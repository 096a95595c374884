let known: Promise<ReadonlySet<string>> | undefined

/**
 * The passwords of `least` characters or more that many people use, in lower case. They are read when a person chooses one for the first
 * time, so that no start waits for them.
 */
export function knownPasswords(least: number): Promise<ReadonlySet<string>> {
  known ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => {
    const all = dictionary['passwords-common'].filter((password) => password.length >= least)
    return new Set(all.map((password) => password.toLowerCase()))
  })
  return known
}
