import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Encodings of responses, best first. */
export const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Bytes from which compression is worthwhile. */
export const LARGE = 1_000

const ACCEPTED: Record<Encoding, RegExp> = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
}
/** Whether a client accepts an encoding (RFC 9110 §12.5.3). */
export const accepts = ({ headers }: Pick<IncomingMessage, 'headers'>, encoding: Encoding) => {
  const accepted = headers['accept-encoding']
  return accepted !== undefined && ACCEPTED[encoding].test(String(accepted))
}

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** From this size on, brotli is faster and compresses less. */
const HUGE = 500_000

/** Compresses bytes that are kept. */
export const encode: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length < HUGE ? 10 : 5 } }),
  gzip: (bytes) => zip(bytes),
}

/**
 * Compresses with gzip, so many at a time: the threads that do it also hash passwords and read files. Returns undefined if as many are
 * under way; the response is then sent as it is.
 */
export function openZip(most = 1) {
  let underWay = 0
  return (bytes: Buffer): Promise<Buffer> | undefined => {
    if (underWay >= most) return undefined
    underWay++
    return encode.gzip(bytes).finally(() => {
      underWay--
    })
  }
}
