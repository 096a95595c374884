import { Secret, TOTP } from 'otpauth'

/** The code that a program shows for a secret in base32, at a time in Unix milliseconds. */
export const codeOf = (secret: string, now: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now })

/** A code of six digits that is none of this secret around a time. */
export function wrongCode(secret: string, now: number): string {
  const right = [-1, 0, 1].map((step) => codeOf(secret, now + step * 30_000))
  return ['111111', '222222', '333333', '444444'].find((code) => !right.includes(code))!
}
