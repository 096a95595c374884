import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as i from './input.ts'
import { CostInput } from './links.ts'
import * as output from './output.ts'

export const SUBMISSION_STATES = ['waiting', 'asked', 'accepted', 'refused', 'withdrawn'] as const

const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`${c.Wall}\`.`, examples: ['2026-11-21 09:00:00'] })
const line = (description: string, example: string) => Type.Optional(i.LineInput(description, example))
/** Longest texts to the editors, and from them. */
const LONGEST = 4_000
const words = (description: string, examples: string[]) =>
  Type.String({ maxLength: LONGEST, description, examples })

/** One address of mail, as HTML has it (`input type=email`), with a domain of two names or more. */
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const MAIL_ADDRESS = `^[A-Za-z0-9_.!#$%&'*+/=?^\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})+$`

/** An event that somebody proposes, and who that is. */
export const SubmissionInput = (languages: readonly string[]) =>
  Type.Object(
    {
      title: i.NameInput('Title of the event', 200, 'empty_content', 'Evensong & talk'),
      start_date: i.MomentInput(
        'Start of the event, as local time of the site; a value with an offset is converted',
        '2026-12-05 19:30:00',
      ),
      end_date: i.MomentInput('End of the event. It must not be before the start', '2026-12-05 21:00:00'),
      all_day: Type.Optional(i.Switch('`true` makes the event last whole days. Default: `false`.')),
      description: Type.Optional(
        Type.String({
          maxLength: 20_000,
          description:
            'What the event is, as plain text; blank lines begin paragraphs. Markup is shown as it is typed.',
          examples: ['Choral music of six centuries.'],
        }),
      ),
      venue: line(
        'Name of the place. A published venue of this name is taken, unless `address` or `city` differ; otherwise a new one is proposed with the event',
        'Teatre de la Lluna',
      ),
      address: line('Street and number of the place', 'Carrer Major 12'),
      city: line('Town of the place', 'Vic'),
      organizer: line('Name of the organizer: a published one of this name, or a new one', 'Cor de Cambra'),
      categories: Type.Optional(
        Type.Array(Type.Integer(c.ID_LIMITS), {
          maxItems: 10,
          description: 'IDs of categories that visitors see.',
          examples: [[1]],
        }),
      ),
      cost: Type.Optional(CostInput),
      website: Type.Optional(i.WebUrlInput('Website of the event', 'https://cor.example/evensong')),
      name: i.NameInput(
        'Name of who proposes the event, for the editors alone',
        200,
        'empty_content',
        'Anna Puig',
      ),
      email: Type.String({
        minLength: 3,
        maxLength: 254,
        pattern: MAIL_ADDRESS,
        description: 'Address of mail of who proposes the event, for the editors alone.',
        examples: ['anna@people.example'],
      }),
      note: Type.Optional(
        words('What the editors should know; it is not published.', ['The hall opens at 19:00.']),
      ),
      challenge: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'The `challenge` of `GET /submissions/challenge`, which works once. Not needed with credentials.',
          examples: ['mi8q0yo0.hFxcuUitiOg42981.b2x5KFTyqjHOFEhhFxcuUi'],
        }),
      ),
      nonce: Type.Optional(
        Type.String({
          maxLength: 40,
          description:
            'A text with which the SHA-256 of `challenge.nonce` begins with as many zero bits as were asked for.',
          examples: ['81204'],
        }),
      ),
      ...i.LanguageInput(languages),
    },
    { $id: 'SubmissionInput' },
  )
export type SubmissionInput = {
  title: string
  start_date: string
  end_date: string
  all_day?: boolean | null
  description?: string | null
  venue?: string | null
  address?: string | null
  city?: string | null
  organizer?: string | null
  categories?: number[] | null
  cost?: string[] | null
  website?: string | null
  name: string
  email: string
  note?: string | null
  challenge?: string | null
  nonce?: string | null
  i18n_language?: string | null
}

export const SubmissionDecision = Type.Object(
  {
    reply: Type.Optional(
      words('What the submitter is told. Required to ask back.', [
        'Please tell us at what time the hall opens.',
      ]),
    ),
    seen: Type.Optional(
      Type.String({
        maxLength: 19,
        description:
          'The `modified_utc` that the submission had when it was looked at: if its event was changed since, nothing is decided, and the answer is 409 `submission_changed`.',
        examples: ['2026-11-21 09:00:00'],
      }),
    ),
  },
  { $id: 'SubmissionDecision' },
)

export const SubmissionQuery = Type.Object({
  ...c.Paging,
  state: Type.Optional(
    c.StringEnum(SUBMISSION_STATES, {
      description: 'Only submissions in this state. Default: all.',
      examples: ['waiting'],
    }),
  ),
})
export type SubmissionQuery = Static<typeof SubmissionQuery>

const State = c.StringEnum(SUBMISSION_STATES, {
  description:
    '`waiting` for a decision, `asked`: the editors asked back, `accepted`, `refused`, or `withdrawn` by the submitter.',
  examples: ['waiting'],
})

export const SubmissionChallenge = Type.Object(
  {
    challenge: Type.String({ description: 'A text that was made for this answer, and works once.' }),
    bits: Type.Integer({
      description: 'How many zero bits the SHA-256 of `challenge.nonce` must begin with.',
    }),
    expires_utc: Time('Time until which it works,'),
  },
  {
    $id: 'SubmissionChallenge',
    description: 'Work that a program has to do before it may propose an event.',
  },
)

export const NewSubmission = Type.Object(
  {
    state: State,
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'Page on which the submission is corrected or withdrawn, for whoever knows the address. Absent with `PAGES=off`.',
      }),
    ),
  },
  { $id: 'NewSubmission', description: 'An event that was proposed.' },
)

const Alike = Type.Object(
  {
    id: c.Id('event'),
    title: Type.String({ description: 'Title of the event, as plain text.' }),
    status: c.StringEnum(c.STATUSES, { description: 'Status of the event.' }),
    start_date: output.DateText('Start of the event, as local time in its time zone'),
    venue: Type.String({ description: 'Name of its place; empty if it has none.' }),
  },
  {
    $id: 'SubmissionAlike',
    description: 'An event on the same day with a similar title or at the same place.',
  },
)

const Members = {
  id: c.Id('submission'),
  state: State,
  event: Type.Integer({ description: 'ID of the event, which is `pending` until the decision.' }),
  title: Type.String({ description: 'Title of the event, as plain text.' }),
  start_date: output.DateText('Start of the event, as local time in its time zone'),
  end_date: output.DateText('End of the event, as local time in its time zone'),
  all_day: Type.Boolean({ description: 'Whether the event lasts whole days.' }),
  language: Type.String({ description: 'Language in which it was proposed.', examples: ['en'] }),
  name: Type.String({
    description:
      'Name of who proposed it; empty once it is forgotten, `SUBMISSIONS_DAYS` after the last thing that happened.',
  }),
  email: Type.String({ description: 'Address of mail of who proposed it; empty once it is forgotten.' }),
  note: Type.String({ description: 'What the submitter told the editors.' }),
  reply: Type.String({ description: 'What the editors answered last.' }),
  created_utc: Time('Time at which it came,'),
  modified_utc: Time('Time of the last change of the event,'),
  decided_utc: Type.Optional(Time('Time of the decision, or of the withdrawal,')),
  decided_by: Type.Optional(Type.Integer({ description: 'ID of the user who decided.' })),
  alike: Type.Array(Type.Ref('SubmissionAlike'), {
    description: 'Events that are perhaps the same: at most five, the likeliest first.',
  }),
}
export const Submission = Type.Object(Members, {
  $id: 'Submission',
  description: 'An event that somebody without an account proposed, for the editors.',
})
export const SubmissionPage = output.Page('SubmissionPage', 'submissions', Type.Ref('Submission'))
export { Alike as SubmissionAlike }
