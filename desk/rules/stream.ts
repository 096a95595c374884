/** A message of a stream of server-sent events. */
export type Message = { event: string; data: string; id: string | undefined }

const fieldsOf = (block: string, name: string) =>
  block
    .split('\n')
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ''))

/** Takes the whole messages from what was received of a stream, and gives what is left: the beginning of the next one. */
export function readMessages(received: string): { messages: Message[]; left: string } {
  const blocks = received.replace(/\r\n?/g, '\n').split('\n\n')
  const left = blocks.pop()!
  const messages = blocks
    .map((block) => ({
      event: fieldsOf(block, 'event').at(-1) ?? 'message',
      data: fieldsOf(block, 'data').join('\n'),
      id: fieldsOf(block, 'id').at(-1),
    }))
    .filter(({ data }) => data !== '')
  return { messages, left }
}
