import { type Agent, type IncomingHttpHeaders, request } from 'node:http'

/** A request as it goes out; the path is that of the whole address. */
export type Call = { method?: string; path: string; headers?: Record<string, string>; body?: string | Buffer }
export type Answer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; milliseconds: number }
/** Where requests go, and the address that they come from. */
type Place = { hostname: string; port: string; localAddress?: string }

/** Milliseconds for which an answer is waited for. */
const PATIENCE = 30_000

/** Sends a request as it is, and reads the whole answer. Rejects where it can not be sent, where there is no answer in time, and where the connection breaks. */
export const ask = (
  agent: Agent,
  place: Place,
  { method = 'GET', path, headers, body }: Call,
  patience = PATIENCE,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }
    const call = request({ ...place, agent, method, path, headers: { ...length, ...headers } })
    call.setTimeout(patience, () => call.destroy(new Error('no answer in time')))
    call.on('error', reject)
    call.on('response', (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          ...{ status: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(parts) },
          milliseconds: performance.now() - began,
        }),
      )
    })
    call.end(body)
  })

/** Whether a connection was closed under a request, as under a body that is refused early. */
export const isCutOff = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE' || code === 'ECONNRESET'
