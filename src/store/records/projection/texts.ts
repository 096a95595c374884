import { type OrganizerRow, type Post, stateProvince, type VenueRow } from '../../../formats/records.ts'
import { stripHtml } from '../../../rules/text/html.ts'
import { fold } from '../../../rules/text/text.ts'

type Texts = Pick<Post, 'description' | 'excerpt'>

/** The texts of a venue that only its own row has. */
export const VENUE_TEXTS = [
  'address',
  'city',
  'country',
  'province',
  'state',
  'zip',
  'phone',
  'stateprovince',
  'website',
] as const

/** The searched texts of each kind of record, besides the title. */
export const searched = {
  event: ({ excerpt, description }: Texts) => [excerpt, description].map(stripHtml),
  venue: ({ description }: Pick<Texts, 'description'>, row: Omit<VenueRow, 'post_id'>) => [
    stripHtml(description),
    ...VENUE_TEXTS.map((name) => row[name]),
    stateProvince(row),
  ],
  organizer: (
    { description }: Pick<Texts, 'description'>,
    { phone, website, email }: Omit<OrganizerRow, 'post_id'>,
  ) => [stripHtml(description), phone, website, email],
}

/** The texts of a record that searches use. */
export function foldAll(title: string, texts: string[]): Pick<Post, 'folded' | 'folded_title'> {
  const folded_title = fold(title)
  return { folded: [folded_title, ...texts.map(fold)].filter(Boolean).join('\n'), folded_title }
}
