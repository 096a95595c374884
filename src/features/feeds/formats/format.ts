import type { EventRecord, SeriesDate, SeriesRecord } from '../../../calendar/formats/records.ts'

/** What a feed is about: what its head says. All URLs are absolute. */
export type Feed = {
  /** Whether this is one event by its address, and no list. */
  single: boolean
  /** A line of plain text: what the events were selected by, such as `calendar.example: Concerts`. */
  title: string
  /** Plain text. */
  description: string
  /** URL of this feed, in this format. */
  self: string
  /** URL of what this is a feed of. */
  home: string
  /** URL of the next page, if this is a page of several. */
  next: string | undefined
  /** BASE_URL, without a slash at the end: the root of permanent addresses and pictures. */
  base: string
  /** Host and path of `base`. */
  host: string
  /** What distinguishes this calendar from all others, for identifiers. It stays when `base` changes. */
  site: string
  /** Language of the feed, such as `ca`. Each event has its own. */
  language: string
  /** Time zone of the site. Each event has its own. */
  timezone: string
  /** Finds the first start of its events and of the series that they are dates of, in UTC; undefined without one. */
  earliest?: () => string | undefined
  /** The last change of what the feed shows, in Unix milliseconds; undefined if it shows nothing. */
  updated: number | undefined
}

/** A series of which a feed holds all events that there are, and these events in the order of their dates. */
export type WholeSeries = { series: SeriesRecord; dates: SeriesDate[] }

/**
 * Writes one feed, in parts in order. State lies in the writer: separators, time zones that were defined. `series` is called before
 * `event` is called with those of its events that it does not write itself.
 */
export type Writer = {
  head(): string
  event(event: EventRecord): string
  series?(whole: WholeSeries): string
  foot(): string
}

/**
 * How events are written in one format. The bytes depend on the feed and its events alone, not on the time of the request, so that
 * equal feeds have equal ETags. An event that is `closed` shows its title and dates only.
 */
export type Format = {
  /** The last part of its addresses, as in `/events.ics`: a word without dots. */
  extension: string
  /** Its Content-Type. The part before the semicolon is also what `Accept` asks for. */
  type: string
  /**
   * The IDs of the events that `Writer.series` writes with their series; those of the others are written by themselves. Undefined if
   * the format has no words for this series. A format without this writes the events of series like all others.
   */
  withSeries?(whole: WholeSeries): number[] | undefined
  open(feed: Feed): Writer
}

/** An identifier of an event or a series that never changes, in all formats: the UID of iCalendar, the guid of RSS. No two kinds share an ID. */
export const uidOf = ({ id }: { id: number }, { site }: Pick<Feed, 'site'>) => `${id}@${site}`
