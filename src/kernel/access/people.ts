/**
 * An address of mail as HTML defines what browsers accept (https://html.spec.whatwg.org/#valid-e-mail-address), with a domain of two
 * names or more: nothing in it can begin a header or name a second recipient.
 */
const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i
const LONGEST_ADDRESS = 254

/** Whether a text is one address of mail. */
export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && ADDRESS.test(text)

/** An address of mail in lower case; undefined if the text is none. */
export function readAddress(text: string): string | undefined {
  const address = text.trim()
  // looked at before: other letters become those of ASCII in lower case
  return isMailAddress(address) ? address.toLowerCase() : undefined
}

/** The bounds of passwords that people choose, in characters: NIST SP 800-63B §3.1.1.2 asks for no other rules than length and a list of known ones. */
export const PASSWORD = { least: 10, most: 200 }

/** Whom a password is of. */
type Owner = { login: string; name: string; email: string | null }

/** Why a person can not choose a password; undefined if they can. `known` are those that many people use, in lower case. */
export function passwordProblem(
  password: string,
  { login, name, email }: Owner,
  known: ReadonlySet<string>,
): string | undefined {
  const { length } = [...password]
  if (length < PASSWORD.least) return `must have at least ${PASSWORD.least} characters.`
  if (length > PASSWORD.most) return `must have at most ${PASSWORD.most} characters.`
  if (/[\p{Cc}\p{Cs}]/u.test(password)) return 'must not have control characters.'
  const plain = password.trim().toLowerCase()
  if ([login, name, email ?? ''].some((own) => own.toLowerCase() === plain))
    return 'must not be the login, the name or the address of its user.'
  return known.has(plain) ? 'must not be one that many people use.' : undefined
}
