import type { Problems } from '../../support/errors.ts'
import type { Body, Kind } from './item.ts'

/** Reads a body as a request that would create a record: its members, or what is wrong with them. */
export type ReadBody = (
  kind: Kind,
  body: Body,
) => { value: Body; problems: Problems; missing: string[]; unknown: string[] }

/** What is wrong with the members of a body, as one text. */
export const problemsText = (problems: Problems): string =>
  Object.entries(problems)
    .map(([name, problem]) => `${name}: ${problem}`)
    .join(' ')
