import type { InjectOptions } from 'fastify'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { NOW, type Sizes, sizesOf } from './seed/records.ts'
import { type Step, trace } from './trace.ts'

export const WRITES = ['create', 'update', 'delete'] as const
export type WriteKind = (typeof WRITES)[number]

/** What an event is created and updated with; the number makes each its own. */
export const created = (number: string, { categories, venues }: Sizes) => ({
  title: `A measured event ${number}`,
  description: `Some text of it, twice as long as a line of a book, and with a number: ${number}.`,
  start_date: '2027-01-01 10:00:00',
  end_date: '2027-01-01 12:00:00',
  cost: '10',
  categories: [1],
  tags: [categories + 1],
  venue: 1,
  organizer: venues + 1,
})
export const updated = (number: string) => ({
  description: `Another text of it, as long as the first one was, and with a number: ${number}.`,
  end_date: '2027-01-01 13:00:00',
})

/** A statement of a write, with the values it had; of the record's ID and of its number others take the place. */
export type Replayed = { sql: string; values: unknown[]; reads: boolean }
export type Recorded = { id: number; number: string; steps: Replayed[] }

/** Lets the service create, update and delete an event, and gives the statements between begin and commit of each. */
export async function recordWrites(file: string, events: number): Promise<Record<WriteKind, Recorded>> {
  const steps: Step[] = []
  trace((step) => steps.push(step))
  const app = await buildApp({ config: readConfig({ ...process.env, DATABASE: file }), clock: () => NOW })
  const { token } = await app.store.tokens.add(1, 'record', ['read', 'write'], null)
  const send = async (method: InjectOptions['method'], path: string, payload?: object): Promise<number> => {
    steps.length = 0
    const answer = await app.inject({
      method: method!,
      url: `/calendar/events/v1/events${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.payload}`)
    return answer.json().id
  }
  const recorded = {} as Record<WriteKind, Recorded>
  // the second time: what is prepared once was prepared, and the token was noted as used
  for (const number of ['7310000001', '7310000002']) {
    const id = await send('POST', '', created(number, sizesOf(events)))
    recorded.create = { id, number, steps: transactionOf(steps) }
    await send('PUT', `/${id}`, updated(number))
    recorded.update = { id, number, steps: transactionOf(steps) }
    await send('DELETE', `/${id}?force=true`)
    recorded.delete = { id, number, steps: transactionOf(steps) }
  }
  await app.close()
  return recorded
}

/** What ran inside of the one transaction, savepoints included. */
function transactionOf(steps: Step[]): Replayed[] {
  const from = steps.findIndex(({ sql }) => sql === 'BEGIN IMMEDIATE')
  const { db } = steps[from]!
  const to = steps.findIndex((step, at) => at > from && step.db === db && step.sql === 'COMMIT')
  return steps
    .slice(from + 1, to)
    .filter((step) => step.db === db)
    .map(({ sql, values, reads }) => ({ sql, values, reads }))
}
