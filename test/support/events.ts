import type { Told } from './answers.ts'

/** The body of an answer that has to be a success; throws what was said otherwise. */
export async function must(answer: Promise<Told>) {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** The titles that a list shows, as one text; of a refusal its code and the parameters at fault. */
export const shown = ({ status, body }: Told): string =>
  status === 200
    ? body.events.map(({ title }: { title: string }) => title).join(' ')
    : [status, body.code, ...Object.keys(body.data.params ?? {})].join(' ')

/** The members of a body that `like` has: what an expectation of a few fields is compared with. */
export const pick = (body: Record<string, unknown>, like: object) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, body[name]]))
