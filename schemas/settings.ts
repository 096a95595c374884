import { Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as i from './input.ts'
import { MOST_LINKS, VARIABLES } from './site-variables.ts'

const Link = Type.Object(
  {
    text: Type.String({ description: 'Text of the link.', examples: ['Town hall'] }),
    url: Type.String({ format: 'uri', description: 'Absolute http or https URL.' }),
  },
  { $id: 'SiteLink', description: 'A link at the end of every page.' },
)

/** The body of an update: what is not sent stays as it is, and null means the default. */
export const SettingsUpdate = Type.Object(
  {
    name: Type.Optional({
      ...i.LineInput('Name of the calendar on its pages and in its feeds', 'Town calendar'),
      maxLength: 100,
      [c.Sent]: 1_000,
    }),
    color: Type.Optional({
      ...i.LineInput(
        'Accent of the pages and of the desk, such as `#b5341c`; it is darkened or lightened until it can be read',
        '#00558b',
      ),
      maxLength: 7,
      [c.Sent]: 100,
      [c.Declared]: Type.String({ pattern: '^\\s*(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?\\s*$' }),
    }),
    logo: Type.Optional(
      i.Whole('ID of a picture of the library that pages show in place of the name. `null` for none.', 7),
    ),
    links: Type.Optional(
      c.read<{ text: string; url: string }[]>('siteLinks', Type.Array(Type.Ref('SiteLink')), {
        maxItems: MOST_LINKS,
        description: `Links at the end of every page, in this order, at most ${MOST_LINKS}: each an object with \`text\` and \`url\`. An empty list for none.`,
        examples: [[{ text: 'Town hall', url: 'https://town.example/' }]],
      }),
    ),
    timezone: Type.Optional({
      ...i.ZoneInput,
      description:
        'Time zone of the site: for events without one, and for "today". It can be set while there are no records.',
      examples: ['Europe/Madrid'],
    } as typeof i.ZoneInput),
    currency: Type.Optional({
      ...i.LineInput(
        'ISO 4217 code, such as `EUR`, whose symbol precedes costs that are plain numbers; it can be set while there are no records',
        'EUR',
      ),
      maxLength: 3,
      [c.Sent]: 100,
    }),
    languages: Type.Optional(
      c.read<string[]>('languages', Type.Array(Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]+)*$' })), {
        minItems: 1,
        maxItems: 50,
        ...c.Short,
        description:
          'Languages of records, as a list or separated by commas; the first is the default. They can be set while there are no records.',
        examples: [['ca', 'es', 'en']],
      }),
    ),
    confirmed: Type.Optional(
      i.Switch(
        '`true` once an administrator has looked at time zone, currency and languages; the desk asks until then. Setting one of them says it as well.',
      ),
    ),
  },
  { $id: 'SettingsUpdate' },
)
export type SettingsUpdate = c.Input<typeof SettingsUpdate>

const NAMES = Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]

export const Settings = Type.Object(
  {
    name: Type.String({ description: 'Name of the calendar on its pages and in its feeds.' }),
    color: Type.String({ description: 'Accent of the pages; empty for that of the style sheet.' }),
    logo: Type.Optional(Type.Integer({ description: 'ID of the picture that pages show as logo.' })),
    logo_url: Type.Optional(
      Type.String({ format: 'uri', description: 'URL of that picture; absent without one.' }),
    ),
    links: Type.Array(Type.Ref('SiteLink'), { description: 'Links at the end of every page.' }),
    timezone: Type.String({ description: 'Time zone of the site.', examples: ['Europe/Madrid'] }),
    currency: Type.String({ description: 'ISO 4217 code.', examples: ['EUR'] }),
    languages: Type.Array(Type.String(), {
      description: 'Languages of records; the first is the default.',
      examples: [['ca', 'es', 'en']],
    }),
    confirmed: Type.Boolean({
      description: 'Whether an administrator has looked at time zone, currency and languages.',
    }),
    locked: Type.Array(c.StringEnum(NAMES), {
      description: 'Members that the environment of the service sets: nothing else can.',
      examples: [['name']],
    }),
    held: Type.Boolean({
      description:
        'Whether there are records, so that `timezone`, `currency` and `languages` are changed by `almanac config set` only.',
    }),
  },
  { $id: 'Settings', description: 'How the site shows itself, and what its records are written with.' },
)
export { Link as SiteLink }
