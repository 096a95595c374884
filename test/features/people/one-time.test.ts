import { createHmac } from 'node:crypto'
import { Secret } from 'otpauth'
import t from 'tap'
import {
  addressOfSecret,
  isOneTime,
  newSecret,
  plainCode,
  stepOf,
} from '../../../src/features/people/second-factors.ts'

/** The secret of RFC 6238, appendix B, for SHA-1. */
const SECRET = Secret.fromLatin1('12345678901234567890').base32

t.test('codes are those of RFC 6238, appendix B', async (t) => {
  // the appendix has eight digits, of which six are the last
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const)
    t.equal(stepOf(SECRET, code.slice(-6), seconds * 1000), Math.floor(seconds / 30), String(seconds))
})

/** The code of a step, without the library (RFC 4226 §5.3). */
function codeAt(secret: string, step: number): string {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', Secret.fromBase32(secret).bytes).update(message).digest()
  const number = hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

t.test('a clock may be one step before or behind', async (t) => {
  const now = 1_111_111_111_000
  const step = Math.floor(now / 30_000)
  const found = [-2, -1, 0, 1, 2].map((off) => stepOf(SECRET, codeAt(SECRET, step + off), now))
  t.same(found, [undefined, step - 1, step, step + 1, undefined])
  for (const wrong of ['', '12345', '1234567', 'abcdef']) t.equal(stepOf(SECRET, wrong, now), undefined)
})

t.test('programs read the secret from its address', async (t) => {
  const uri = new URL(addressOfSecret('JBSWY3DPEHPK3PXP', 'Town: events', 'berta@town.example'))
  t.equal(uri.protocol, 'otpauth:')
  t.equal(uri.host, 'totp')
  t.same(Object.fromEntries(uri.searchParams), {
    ...{ issuer: 'Town: events', secret: 'JBSWY3DPEHPK3PXP' },
    ...{ algorithm: 'SHA1', digits: '6', period: '30' },
  })
  t.match(newSecret(), /^[A-Z2-7]{32}$/)
  t.not(newSecret(), newSecret())
})

t.test('codes are typed with spaces, hyphens and capitals', async (t) => {
  t.equal(plainCode(' 492 039'), '492039')
  t.equal(plainCode('AB12-cd34 ef56'), 'ab12cd34ef56')
  t.ok(isOneTime('492039'))
  for (const other of ['49203', '4920391', '49203a']) t.notOk(isOneTime(other))
})
