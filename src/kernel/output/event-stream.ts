import { type TSchema, Type } from '@sinclair/typebox'

/** The media type of server-sent events (WHATWG HTML §9.2). */
export const EVENT_STREAM = 'text/event-stream'

/** The declared contents of a response: JSON, or messages, which a text describes. */
export const jsonOrMessages = (answer: string, messages: string) => ({
  'application/json': { schema: Type.Ref(answer) as TSchema },
  [EVENT_STREAM]: { schema: { type: 'string', description: `Server-sent events. ${messages}` } },
})

const END = Buffer.from('\n\n')

/** A message. Its data must not contain line breaks, and that of JSON does not. */
export const message = (event: string, data: Buffer, id?: string): Buffer =>
  Buffer.concat([Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `), data, END])

/** Sets what a client sends as `Last-Event-ID` when it connects again, without a message. */
export const idAlone = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`)

/** Sets the milliseconds after which a client connects again when the connection has ended. */
export const retryAfter = (milliseconds: number): Buffer => Buffer.from(`retry: ${milliseconds}\n\n`)
