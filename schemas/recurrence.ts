import { type TSchema, Type } from '@sinclair/typebox'
import { Declared, OrNull, read, StringEnum } from './common.ts'

/** How an event repeats, as it is sent. */
export type RecurrenceInput = { rrule?: string; rdate?: string[]; exdate?: string[] }

/** Most dates that a series has. */
const MOST = 1500
/** Most characters of a rule: enough for all days of a year. */
const LONGEST = 4000

const RRULE =
  'Rule of RFC 5545 §3.3.10, with a frequency from `DAILY` to `YEARLY`. Its `UNTIL` is in local time. Without it, the event takes place at its own date and those of `rdate`.'
const dates = (description: string, examples: string[]) =>
  Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MOST,
      description: `${description} Local times in the time zone of the event; of an all-day event days.`,
      examples: [examples],
    }),
  )

const members = {
  rrule: Type.Optional(
    Type.String({ maxLength: LONGEST, description: RRULE, examples: ['FREQ=WEEKLY;BYDAY=TU;COUNT=10'] }),
  ),
  rdate: dates('Dates on which it takes place as well.', ['2026-12-24 18:00:00']),
  exdate: dates('Dates of the rule on which it does not take place.', ['2026-12-29 19:30:00']),
}

const Form = Type.Object(members, {
  $id: 'RecurrenceInput',
  description: 'How an event repeats. What is not sent of it is empty.',
})
const FormOrNull = {
  ...Form,
  type: ['object', 'null'],
  $id: 'RecurrenceOrNull',
  description: 'How an event repeats, or null. What is not sent of it is empty.',
}

export const RecurrenceMember = (description: string) =>
  read<RecurrenceInput>('recurrence', Type.Object({}), {
    [Declared]: { ...Form, [OrNull]: FormOrNull } as never as TSchema,
    description,
    examples: [{ rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=10' }],
  })

export const Recurrence = Type.Object(
  {
    rrule: Type.String({
      description: 'Rule of RFC 5545 §3.3.10. Its `UNTIL` is in local time.',
      examples: ['FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
    }),
    rdate: Type.Array(Type.String(), {
      description: 'Dates on which it takes place as well, in order.',
      examples: [['2026-12-24 18:00:00']],
    }),
    exdate: Type.Array(Type.String(), {
      description: 'Dates of the rule on which it does not take place, in order.',
      examples: [['2026-12-29 19:30:00']],
    }),
    text: Type.String({
      description:
        'How it repeats in words, in the language of the series, if that is English, Catalan or Spanish; else in English.',
      examples: ['every Tuesday, 10 times'],
    }),
    until: Type.String({
      description:
        'The last date that is an event by now; empty if none is. Later ones follow as time goes on, until the series has 1,500.',
      examples: ['2027-02-09 19:30:00'],
    }),
    since: Type.Optional(
      Type.String({
        description:
          'The first date that is an event, of a series from a file or a feed that has more than 1,500: those to come, then the latest past ones.',
        examples: ['2024-02-09 19:30:00'],
      }),
    ),
  },
  { $id: 'Recurrence', description: 'How a series repeats. Dates are local times, of all-day events days.' },
)

/** Which events of a series a write is to, as a parameter of the address. */
export const ApplyTo = {
  apply_to: Type.Optional(
    StringEnum(['this', 'following', 'all'], {
      description:
        'Of a date of a series: whether to write to this date alone, to it and those that follow, or to all. Default: `this`. For single events nothing else is accepted.',
      examples: ['this'],
    }),
  ),
}
export type ApplyTo = 'this' | 'following' | 'all'

/** Whether a write is to several events of a series. */
export const isToSeveral = (range: ApplyTo | undefined): boolean => range !== undefined && range !== 'this'
