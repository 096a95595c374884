import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

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
