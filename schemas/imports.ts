import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

/** Most rows that an answer shows. */
export const MOST_SHOWN = 20
/** The forms of a file, by their media types. */
export const IMPORT_TYPES = { 'text/calendar': 'ics', 'text/csv': 'csv' } as const
/** Whether the day or the month of a date comes first. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]
export const IMPORT_OUTCOMES = ['added', 'updated', 'unchanged', 'present', 'refused'] as const

const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`${c.Wall}\`.`, examples: ['2026-11-21 09:00:00'] })
const Count = (description: string) => Type.Integer({ minimum: 0, description })
const From = Type.String({
  description: 'Name of the file, or address of the calendar.',
  examples: ['programme.csv'],
})

export const ImportUpload = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description:
        'The file: iCalendar (`.ics`) or CSV (`.csv`), at most 10 MiB. Its type or the ending of its name says which.',
    }),
  },
  { $id: 'ImportUpload', description: 'A multipart form with one file.' },
)

export const ImportOptions = Type.Object({
  dry_run: Type.Optional(c.Truth('`true` tells what would come, and writes nothing. Default: `false`.')),
  source: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Name of the system that the file is from. Its IDs are kept under this name, so that the next import updates what differs. Default: `ics` or `csv`.',
      examples: ['box-office'],
    }),
  ),
  timezone: Type.Optional(
    c.read<string>('zone', Type.String(), {
      maxLength: 100,
      [c.Declared]: Type.String({ maxLength: 100 }),
      description: 'Time zone of times that have none. Default: that of the site.',
      examples: ['Europe/Madrid'],
    }),
  ),
  status: Type.Optional(
    c.StringEnum(
      c.STATUSES.filter((status) => status !== 'trash'),
      {
        description: 'Status of new events that tell none. Default: `publish`.',
        examples: ['draft'],
      },
    ),
  ),
  date_order: Type.Optional(
    c.StringEnum(DATE_ORDERS, {
      description:
        'Order of dates such as `05/06/2027` in a table: day first or month first. Default: as the dates tell of which one number is no month; where none does, the month is first with slashes, and the day with dots and hyphens.',
      examples: ['dmy'],
    }),
  ),
  media: Type.Optional(c.Truth('`true` downloads pictures that the file names. Default: `false`.', false)),
})
export type ImportOptions = {
  dry_run?: boolean
  source?: string
  timezone?: string
  status?: c.Status
  media?: boolean
  date_order?: DateOrder
}

export const ImportEntry = Type.Object(
  {
    line: Type.Integer({ description: 'Line of the file that it begins in.', examples: [2] }),
    kind: Type.String({
      enum: ['event', 'series', 'date', 'line'],
      description:
        'What it is: an `event`, a `series`, a `date` of a series that differs from it, or a `line` that is none of these, as those of a table of venues or organizers are.',
    }),
    name: Type.String({ description: 'What it is called in the file.', examples: ['Open day'] }),
    start_date: Type.Optional(Type.String({ description: 'Its first date, as the file has it.' })),
    outcome: c.StringEnum(IMPORT_OUTCOMES, {
      description:
        'What became of it. `present` was here before and is left as it is, `unchanged` is here as the file has it.',
    }),
    id: Type.Optional(
      Type.Integer({
        description:
          'ID of the record here. Absent if it was refused, or if nothing was written and it would be new.',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'Why it was refused.' })),
    remarks: Type.Array(Type.String(), { description: 'What of it could not be taken.' }),
  },
  { $id: 'ImportEntry', description: 'What became of an event of a file.' },
)
export type ImportEntry = Static<typeof ImportEntry>

const Outcomes = Type.Object(
  Object.fromEntries(IMPORT_OUTCOMES.map((one) => [one, Count(`How many are ${one}.`)])),
  { description: 'How many records have each outcome.' },
)

export const ImportReport = Type.Object(
  {
    id: Type.Optional(
      Type.Integer({ description: 'Number of the import. Absent if nothing was written.', examples: [1] }),
    ),
    from: From,
    dry_run: Type.Boolean({ description: 'Whether nothing was written.' }),
    counts: Type.Record(Type.String(), Outcomes, {
      description: 'Numbers by kind: `event`, `series`, `date`, `venue`, `organizer`, `line`.',
    }),
    first: Type.Array(Type.Ref('ImportEntry'), {
      description: `The first ${MOST_SHOWN} records of the file.`,
    }),
    troubles: Type.Array(Type.Ref('ImportEntry'), {
      description: 'What was refused, or lacks something: at most 1,000.',
    }),
    troubles_total: Count('How many there are of these.'),
    left_out: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description:
          'How often parts of events were left out that have no place here, by their names in the file. Absent if there are none.',
        examples: [{ VALARM: 12, PRIORITY: 3 }],
      }),
    ),
  },
  { $id: 'ImportReport', description: 'What came of a file, or would come.' },
)

export const Import = Type.Object(
  {
    id: c.Id('import'),
    from: From,
    kind: c.StringEnum(['file', 'site'], { description: 'What it was from.' }),
    began_utc: Time('Time at which it began'),
    ended_utc: Type.Optional(Time('Time at which it ended. Absent while it runs, or if it was broken off,')),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description:
        'How many records were `created`, `changed`, the `same` as before, `left` as they are and `refused`; once it was undone, how many are `undone` and `stayed`.',
      examples: [{ created: 12, refused: 1 }],
    }),
  },
  { $id: 'Import', description: 'An import of a file or of another calendar.' },
)
export const ImportPage = output.Page('ImportPage', 'imports', Type.Ref('Import'))

export const ImportUndone = Type.Object(
  {
    id: c.Id('import'),
    from: From,
    counts: Type.Record(
      Type.String(),
      Type.Object({
        trashed: Count('How many went to the trash; of categories and tags, how many were deleted.'),
        stayed: Count('How many stayed.'),
      }),
      { description: 'Numbers by kind of record.' },
    ),
    stayed: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'Kind of the record.', examples: ['event'] }),
        id: Type.Integer({ description: 'ID of the record.' }),
        name: Type.String({ description: 'Title or name of the record.' }),
        why: Type.String({ description: 'Why it stayed.', examples: ['it was edited here since'] }),
      }),
      { description: 'What stayed: at most 1,000.' },
    ),
  },
  { $id: 'ImportUndone', description: 'What the undoing of an import took back.' },
)
