import type { Answer } from './app.ts'

/** The body of an answer that has to be a success; throws what was said otherwise. */
export async function must(answer: Promise<Told>) {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** The members of a body that `like` has: what an expectation of a few fields is compared with. */
export const pick = (body: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, body[name]]))

/** What was answered, by HTTP or by the store alone. */
export type Told = Pick<Answer, 'status' | 'body'>

/** A refusal in short: status, code and the parameters at fault. */
export function refusal({ status, body }: Told): string {
  const { params = [] } = body.data ?? {}
  return [status, body.code, ...(Array.isArray(params) ? params : Object.keys(params))].join(' ')
}

/** What a list shows in short: one member of every entry, or why there is no list. */
export const listed = (answer: Told, plural: string, member: string, between = ', '): string =>
  answer.status === 200
    ? answer.body[plural].map((entry: Record<string, unknown>) => entry[member]).join(between)
    : refusal(answer)

/** The titles of events that a list shows, or why there is no list. */
export const shown = (answer: Told): string => listed(answer, 'events', 'title', ' ')
