import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

const EVERY = ['week', 'publication'] as const

export const DigestQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 254,
      description: 'Only addresses with this text.',
      examples: ['people.example'],
    }),
  ),
  every: Type.Optional(
    c.StringEnum(EVERY, {
      description: 'Only those of weekly mails, or of mails on publication. Default: all.',
      examples: ['week'],
    }),
  ),
})
export type DigestQuery = Static<typeof DigestQuery>

const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`${c.Wall}\`.`, examples: ['2026-11-21 09:00:00'] })

export const Digest = Type.Object(
  {
    id: c.Id('digest'),
    email: Type.String({ description: 'The address, for administrators alone.' }),
    every: c.StringEnum(EVERY, {
      description:
        '`week`: a mail each Thursday, or `publication`: a mail on what is published, one an hour at most.',
    }),
    language: Type.String({ description: 'Language of the mails, and of the events.', examples: ['en'] }),
    categories: Type.Optional(
      Type.Array(Type.Integer(), { description: 'IDs of the categories that are wanted. Absent for all.' }),
    ),
    town: Type.Optional(Type.String({ description: 'Town that is wanted. Absent for all.' })),
    q: Type.Optional(Type.String({ description: 'Words that are looked for. Absent for none.' })),
    created_utc: Time('Time at which the address was entered first,'),
    confirmed_utc: Type.Optional(Time('Time at which its owner confirmed it,')),
  },
  { $id: 'Digest', description: 'An address that new events are sent to.' },
)
export const DigestPage = output.Page('DigestPage', 'digests', Type.Ref('Digest'))
