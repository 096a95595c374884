import { createHash } from 'node:crypto'

// The form of submissions without an application, for benchmarks as well.

/** The value of a hidden field. */
export const hiddenIn = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!

/** The same as a form with parts, as a browser sends it, and a picture. */
export function partsOf(typed: Record<string, string>, picture?: Buffer) {
  const part = (name: string, more = '') =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`
  const texts = Object.entries(typed).map(([name, value]) => `${part(name)}\r\n${value}\r\n`)
  const head = picture ? `${part('picture', '; filename="a.jpg"')}Content-Type: image/jpeg\r\n\r\n` : ''
  return {
    body: Buffer.concat([
      Buffer.from(texts.join('') + head),
      ...(picture ? [picture] : []),
      Buffer.from('\r\n--xx--\r\n'),
    ]),
    headers: { 'content-type': 'multipart/form-data; boundary=xx' },
  }
}

/** The text with which a challenge is solved, with no more than `most` zero bits. */
export function solve(challenge: string, bits: number, most = 32): string {
  for (let nonce = 0; ; nonce++) {
    const hash = createHash('sha256').update(`${challenge}.${nonce}`).digest()
    const zeros = Math.clz32(hash.readUInt32BE())
    if (zeros >= bits && zeros <= most) return String(nonce)
  }
}
