import { listAll, send } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import { SITE } from '../../api/site.ts'
import { clearTold, tell, tellFailure } from '../../parts/notice.tsx'
import type { Colored } from '../../rules/hues.ts'
import type { Span } from '../../rules/month.ts'
import { momentText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

/** An event as the month shows it. */
export type Entry = Span & {
  id: number
  title: string
  status: string
  event_status: string
  all_day: boolean
  timezone: string
  language: string
  translations: Record<string, number>
  author: string
  /** Of a date of a series. */
  series?: number
  categories: Colored[]
  venue?: unknown
}

const FIELDS = [
  'id',
  'title',
  'status',
  'event_status',
  'all_day',
  'timezone',
  'language',
  'translations',
  'author',
  'start_date',
  'end_date',
  'series',
  ...['categories.id', 'categories.name'],
]
/** Pages of fifty events that are read for a month, and the events that it shows at most. */
const MOST_PAGES = 40
export const MOST = MOST_PAGES * 50

/** The events of some days, in one language or in all. */
export const readMonth = (from: string, to: string, language: string | undefined): Promise<Entry[]> => {
  // the venue tells whether limits of rights allow an event
  const fields = session.get()?.limits ? [...FIELDS, 'venue'] : FIELDS
  return listAll<Entry>(
    '/events',
    'events',
    {
      ...{ status: 'any', when: 'all', orderby: 'start', i18n_language: language, strict_dates: true },
      ends_after: `${from} 00:00:00`,
      starts_before: `${to} 23:59:59`,
      _fields: ['total', 'total_pages', ...fields.map((name) => `events.${name}`)].join(),
    },
    MOST_PAGES,
  )
}

type Category = { id: number; name: string; language: string; translations: Record<string, number> }

/** All categories, as far as it tells which ones are the same in other languages; none where there is one language. */
export const readCategorySets = async (): Promise<Category[]> =>
  SITE.languages.length < 2
    ? []
    : listAll<Category>('/categories', 'categories', {
        hide_empty: false,
        _fields: `total,total_pages,${['id', 'name', 'language', 'translations'].map((name) => `categories.${name}`).join()}`,
      })

/** Gives an event other dates, if it still has those that are shown. Says what became of it, and how to take it back: by `move`. */
export async function moveEntry(entry: Entry, to: Span, move: (entry: Entry, to: Span) => void) {
  const path = `/events/${entry.id}`
  clearTold() // it is of another move
  try {
    const { body: now, etag } = await send<Entry>('GET', path)
    if (now.start_date !== entry.start_date || now.end_date !== entry.end_date)
      tell({ text: w.conflict, bad: true })
    else {
      await send('PATCH', path, {
        body: { ...to, all_day: entry.all_day, timezone: entry.timezone },
        match: etag,
        // one band stands for all its languages
        query: { translations: 'all' },
      })
      const moved = fill(w.moved, { title: entry.title, time: momentText(to.start_date) })
      const text = entry.series === undefined ? moved : `${moved} ${w.only_this_moved}`
      tell({
        text,
        action: { text: w.undo, run: () => move({ ...entry, ...to }, spanOf(entry)) },
      })
    }
  } catch (failure) {
    tellFailure(failure)
  }
}

const spanOf = ({ start_date, end_date }: Span): Span => ({ start_date, end_date })
