import { Secret, TOTP } from 'otpauth'

/** Seconds for which a code is shown, and how many steps before and after count as well (RFC 6238 §5.2). */
const PERIOD = 30
const WINDOW = 1
/** Bytes of a secret, as many as SHA-1 has (RFC 4226 §4). */
const SECRET_BYTES = 20

/** The codes of one secret: SHA-1, six digits, each for 30 seconds, which every program for them knows (RFC 6238). */
const codesOf = (secret: Secret, about: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...about, secret, algorithm: 'SHA1', digits: 6, period: PERIOD })

/** A new secret in base32. */
export const newSecret = () => new Secret({ size: SECRET_BYTES }).base32

/** The address from which programs for codes read a secret. */
export const addressOfSecret = (secret: string, issuer: string, label: string) =>
  codesOf(Secret.fromBase32(secret), { issuer, label }).toString()

/** The step of 30 seconds to which a code belongs, at a time in Unix milliseconds; undefined for a wrong code, and for one of another time. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const codes = codesOf(Secret.fromBase32(secret))
  const delta = codes.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : codes.counter({ timestamp: now }) + delta
}

/** A code as people type it, without spaces and hyphens, in lower case. */
export const plainCode = (code: string) => code.replace(/[\s-]/g, '').toLowerCase()

/** Whether a plain code is one of a TOTP; all others are recovery codes. */
export const isOneTime = (code: string) => /^\d{6}$/.test(code)
