import {
  createCipheriv,
  createDecipheriv,
  randomBytes,
  randomInt,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const KEY_BYTES = 32

/** Returns `scrypt:salt:key`, computed off the main thread. For passwords that people choose (D15). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt:${salt.toString('base64')}:${(await derive(password, salt, KEY_BYTES)).toString('base64')}`
}

/** The scrypt hash of no password: to compare one with it takes as long as with another. */
export const NOBODYS = `scrypt:${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(KEY_BYTES).toString('base64')}`

/** Whether a text may be a password: without control characters, because scrypt pads with NUL and "a" and "a\0" have the same hash. */
export const isPassword = (text: string) => !/[\p{Cc}\p{Cs}]/u.test(text)

/** Whether `password` has this hash. It takes the same time either way, unless the text can not be a password. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  if (!isPassword(password)) return false
  const [, salt, key] = hash.split(':')
  return timingSafeEqual(
    await derive(password, Buffer.from(salt!, 'base64'), KEY_BYTES),
    Buffer.from(key!, 'base64'),
  )
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const four = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** A new application password: 24 random characters in groups of four. */
export const newPassword = () => Array.from({ length: 6 }, four).join(' ')

const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a text under a key of 32 bytes, for one owner: it opens with the same key and owner only. Returns base64url. */
export function seal(key: Buffer, text: string, owner: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner))
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts what `seal` made. Throws if key or owner differ, or if it was changed. */
export function unseal(key: Buffer, sealed: string, owner: string): string {
  const all = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv(ALGORITHM, key, all.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(all.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(all.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString()
}

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
