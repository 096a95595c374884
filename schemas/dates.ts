import { Type } from '@sinclair/typebox'
import { Declared, OrNull, read, Short, Wall } from './common.ts'

/** The pattern of a word in any case. */
const anyCase = (word: string) => word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
const oneOf = (...forms: string[]) => `(?:${forms.join('|')})`

const NAME = '[A-Za-z]{3,9}'
const DAYS = [
  '\\d{4}-\\d{1,2}-\\d{1,2}',
  '\\d{4}/\\d{1,2}/\\d{1,2}',
  '\\d{8}',
  '\\d{1,2}[./-]\\d{1,2}[./-]\\d{4}',
  `(?:${NAME}[.]?,? )?\\d{1,2}(?:[A-Za-z]{2})?[ -]${NAME}[.]?,?[ -]\\d{4}`,
  `(?:${NAME}[.]?,? )?${NAME}[.]? \\d{1,2}(?:[A-Za-z]{2})?,? \\d{4}`,
]
const CLOCK = '\\d{1,2}(?::\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?)?(?: ?[AaPp][.]?[Mm][.]?)?'
const OFFSET = oneOf(
  ` ?${oneOf('[Zz]', 'utc', 'gmt').replace(/utc|gmt/g, anyCase)}`,
  ' ?[+-]\\d\\d(?::?\\d\\d)?',
  ' \\d\\d:?\\d\\d',
)
const AT = anyCase('at')
const UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'].map(anyCase)

/** The pattern of the texts that `readMoment` (src/kernel/time/moments.ts) reads as dates: without named groups and flags, for all engines. */
export const DATE_PATTERN = `^\\s*${oneOf(
  `${oneOf(...DAYS)}(?:${oneOf(`(?:[Tt]|,? | ${AT} )${CLOCK}`, '[Tt]\\d{4}(?:\\d\\d)?')}${OFFSET}?)?`,
  '\\d{14}',
  `${oneOf('@[+-]?\\d+', '[+-]?\\d{9,12}', '[+-]?0')}(?:[.]\\d+)?`,
  anyCase('now'),
  `${oneOf(...['yesterday', 'today', 'tomorrow'].map(anyCase))}(?:,? (?:${AT} )?${CLOCK})?`,
  `[+-]?\\d+ *${oneOf(...UNITS)}[Ss]?`,
)}\\s*$`

const FORMS = {
  maxLength: 64,
  pattern: DATE_PATTERN,
  description: `A date or date-time: \`${Wall}\`, ISO 8601 with or without an offset, an unambiguous text such as \`4 May 2027 7 pm\`, unix seconds (nine digits or more), \`now\`, \`today\`, \`tomorrow\`, \`yesterday\`, or a relative time such as \`+3 days\`. A day that does not exist is refused.`,
  examples: ['2027-05-14 20:00:00', '2027-05-14', '2027-05-14T20:00:00+02:00', 'tomorrow', '+3 days'],
}
/** Every form of a date that may be null, as a component of the document. */
export const DateOrNull = Type.Unsafe<string | null>({
  ...FORMS,
  $id: 'DateOrNull',
  type: ['string', 'null'],
} as object)
/** Every form of a date, as a component of the document. */
export const DateInput = Type.String({ ...FORMS, $id: 'DateInput', [OrNull]: DateOrNull })

export const MomentFilter = (description: string) =>
  read<string>('moment', Type.String(), {
    ...Short,
    [Declared]: DateInput,
    description: `${description} Accepts a date, a date with a time and perhaps an offset, unix seconds, or words such as \`now\` and \`+3 days\`.`,
    examples: FORMS.examples,
  })

/** The filters of a list by the last change of its records; `what` are the records, `whose` says what counts as a change. */
export const ModifiedFilters = (what: string, whose: string) => ({
  modified_after: Type.Optional(
    MomentFilter(
      `Only ${what} whose last change is after this time. ${whose} A time without an offset is in the site time zone, a date without a time is the beginning of its day. Deleted ${what} are not returned; \`GET /changes\` names them.`,
    ),
  ),
  modified_before: Type.Optional(
    MomentFilter(
      `Only ${what} whose last change is before this time. A time without an offset is in the site time zone, a date without a time is the beginning of its day.`,
    ),
  ),
})
/** As they are read. */
export type ModifiedQuery = { modified_after?: string; modified_before?: string }
