import type { Answer } from './app.ts'

/** What was answered, by HTTP or by the store alone. */
export type Told = Pick<Answer, 'status' | 'body'>

/** A refusal in short: status, code and the parameters at fault. */
export function refusal({ status, body }: Told): string {
  const { params = [] } = body.data ?? {}
  return [status, body.code, ...(Array.isArray(params) ? params : Object.keys(params))].join(' ')
}

/** What a list shows in short: one member of every entry, or why there is no list. */
export const listed = (answer: Told, plural: string, member: string): string =>
  answer.status === 200
    ? answer.body[plural].map((entry: Record<string, unknown>) => entry[member]).join(', ')
    : refusal(answer)
