import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { AUDIT_CODES, AUDIT_ORIGINS, AUDIT_SUBJECTS } from '../schemas/audit-codes.ts'
import { EVENT_FLAGS, forEach } from '../schemas/event-flags.ts'
import { EVENT_STATES } from '../schemas/event-states.ts'

/** The members of events that have one of a few values, as columns: those of `listings` repeat those of `events`. */
const states = () => ({
  event_status: text({ enum: EVENT_STATES.event_status }).notNull().default('scheduled'),
  attendance_mode: text({ enum: EVENT_STATES.attendance_mode }).notNull().default('offline'),
})

/** What events, venues and organizers share: one ID space, never reused. `date` and `modified` are wall clocks of the site zone. */
export const posts = sqliteTable(
  'posts',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    kind: text({ enum: ['event', 'series', 'venue', 'organizer'] }).notNull(),
    status: text({ enum: ['publish', 'future', 'draft', 'pending', 'private', 'trash'] }).notNull(),
    title: text().notNull(),
    slug: text().notNull(),
    description: text().notNull().default(''),
    excerpt: text().notNull().default(''),
    author_id: integer()
      .notNull()
      .references(() => users.id),
    language: text().notNull(),
    /** A number that a set of translations shares; null where there are none. */
    translation_group: integer(),
    image_id: integer().references(() => media.id, { onDelete: 'set null' }),
    parent_id: integer().references((): AnySQLiteColumn => posts.id, { onDelete: 'set null' }),
    date: text().notNull(),
    /** Empty for a draft that was never published. */
    date_utc: text().notNull(),
    modified: text().notNull(),
    modified_utc: text().notNull(),
    password_hash: text(),
    /** Title and texts without case and accents, one line a field: what searching reads. */
    folded: text().notNull(),
    /** The title alone, folded: finds a record of the same name (D31). */
    folded_title: text().notNull(),
    /** What a trashed record goes back to. */
    untrashed_slug: text(),
    /** What a trashed record was before: only of one that was published the address is gone, and not unknown. */
    untrashed_status: text({ enum: ['publish', 'future', 'draft', 'pending', 'private'] }),
  },
  (t) => [
    index('posts_kind_slug').on(t.kind, t.slug),
    index('posts_kind_status_date').on(t.kind, t.status, t.date, t.id),
    index('posts_kind_title').on(t.kind, t.folded_title),
    // most records have none of these
    index('posts_due').on(t.date_utc).where(sql`status = 'future'`),
    index('posts_translation_group').on(t.translation_group).where(sql`translation_group is not null`),
    index('posts_image').on(t.image_id).where(sql`image_id is not null`),
    // the pictures that everybody sees
    index('posts_shown_image')
      .on(t.image_id, t.status, t.password_hash)
      .where(sql`status = 'publish' and password_hash is null and image_id is not null`),
    index('posts_parent').on(t.parent_id).where(sql`parent_id is not null`),
    index('posts_author').on(t.author_id),
  ],
)

/** Start and end are wall clocks of the event's own zone, with their UTC twins. */
export const events = sqliteTable('events', {
  post_id: integer()
    .primaryKey()
    .references(() => posts.id, { onDelete: 'cascade' }),
  start_date: text().notNull(),
  end_date: text().notNull(),
  utc_start_date: text().notNull(),
  utc_end_date: text().notNull(),
  timezone: text().notNull(),
  all_day: integer({ mode: 'boolean' }).notNull().default(false),
  /** The cost's items as plain text, in the order given. */
  cost: text({ mode: 'json' }).$type<string[]>().notNull(),
  website: text().notNull().default(''),
  show_map: integer({ mode: 'boolean' }).notNull().default(false),
  show_map_link: integer({ mode: 'boolean' }).notNull().default(false),
  hide_from_listings: integer({ mode: 'boolean' }).notNull().default(false),
  sticky: integer({ mode: 'boolean' }).notNull().default(false),
  featured: integer({ mode: 'boolean' }).notNull().default(false),
  ticketed: integer({ mode: 'boolean' }).notNull().default(false),
  ...states(),
  /** Where the event is attended online. */
  virtual_url: text().notNull().default(''),
  /** Why it does not take place as planned: plain text. */
  event_status_reason: text().notNull().default(''),
  /** The start that a rescheduled event had before it was moved, on the clock of its zone; otherwise empty. */
  previous_start_date: text().notNull().default(''),
})

/** How a series repeats. Its row in `events` is the pattern: its first date and length, and what its occurrences have unless they differ. */
export const series = sqliteTable(
  'series',
  {
    post_id: integer()
      .primaryKey()
      .references(() => posts.id, { onDelete: 'cascade' }),
    /** RFC 5545, with UNTIL in local time; of added dates alone `FREQ=DAILY;COUNT=1`, which is the first date. */
    rrule: text().notNull(),
    /** Local times of its zone, all-day dates: in order. */
    rdate: text({ mode: 'json' }).$type<string[]>().notNull(),
    exdate: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** The last date that has an occurrence; empty if none has. */
    until: text().notNull(),
    /** The start of the first date that has none yet, in UTC; null if there is none, or if the series has as many as it may. Later if it has as many to come as it may. */
    next_utc: text(),
    /** The first date that has an occurrence, of a series from elsewhere that has more dates than one may; empty for all others. */
    since: text().notNull().default(''),
  },
  (t) => [index('series_next').on(t.next_utc)],
)

/** A version of an event in iCalendar: SEQUENCE, which is 0 if it has none, and DTSTAMP, which may be empty. */
export type Version = [sequence: number, stamp: string]

/** Where records come from: what another system calls those that it keeps here, once for each kind. Most records have no row. */
export const externals = sqliteTable(
  'externals',
  {
    post_id: integer()
      .primaryKey()
      .references(() => posts.id, { onDelete: 'cascade' }),
    /** The kind of the record, for the unique index. */
    kind: text({ enum: ['event', 'series', 'venue', 'organizer'] }).notNull(),
    /** The name of the other system, and its ID of the record. */
    source: text().notNull(),
    external_id: text().notNull(),
    /** The version that was taken from a file last, by the name '', and those of dates of a series by their RECURRENCE-ID. */
    versions: text({ mode: 'json' }).$type<Record<string, Version>>().notNull().default({}),
  },
  (t) => [uniqueIndex('externals_key').on(t.kind, t.source, t.external_id)],
)

/** Events that a series gave. Their `parent_id` is the series. */
export const occurrences = sqliteTable(
  'occurrences',
  {
    post_id: integer()
      .primaryKey()
      .references(() => posts.id, { onDelete: 'cascade' }),
    series_id: integer()
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    /** The date that the rule gave it (RFC 5545 RECURRENCE-ID): local time of the zone of the series, all-day a date. */
    recurrence_id: text().notNull(),
    /** The members in which it differs from its series. */
    overrides: text({ mode: 'json' }).$type<string[]>().notNull(),
  },
  (t) => [index('occurrences_series').on(t.series_id, t.recurrence_id)],
)

export const venues = sqliteTable('venues', {
  post_id: integer()
    .primaryKey()
    .references(() => posts.id, { onDelete: 'cascade' }),
  address: text().notNull().default(''),
  city: text().notNull().default(''),
  country: text().notNull().default(''),
  province: text().notNull().default(''),
  state: text().notNull().default(''),
  zip: text().notNull().default(''),
  phone: text().notNull().default(''),
  /** As given; where it is empty, it is derived from state and province. */
  stateprovince: text().notNull().default(''),
  website: text().notNull().default(''),
  show_map: integer({ mode: 'boolean' }).notNull().default(true),
  show_map_link: integer({ mode: 'boolean' }).notNull().default(true),
  geo_lat: real(),
  geo_lng: real(),
})

export const organizers = sqliteTable('organizers', {
  post_id: integer()
    .primaryKey()
    .references(() => posts.id, { onDelete: 'cascade' }),
  phone: text().notNull().default(''),
  website: text().notNull().default(''),
  email: text().notNull().default(''),
})

/** Categories and tags. `count` is the number of published events, kept by every write. */
export const terms = sqliteTable(
  'terms',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    taxonomy: text({ enum: ['category', 'tag'] }).notNull(),
    name: text().notNull(),
    folded_name: text().notNull(),
    slug: text().notNull(),
    description: text().notNull().default(''),
    /** 0 is the top level. */
    parent_id: integer().notNull().default(0),
    language: text().notNull(),
    translation_group: integer(),
    count: integer().notNull().default(0),
    /** The last write that changed what the term shows; that of its events does not. */
    modified_utc: text().notNull().default(''),
    /** Made inside of a hidden event, and in no other yet: only those who write see it. Once shown, it stays so. */
    hidden: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (t) => [
    uniqueIndex('terms_taxonomy_slug').on(t.taxonomy, t.slug),
    index('terms_taxonomy_name').on(t.taxonomy, t.folded_name),
    index('terms_parent').on(t.parent_id),
    index('terms_translation_group').on(t.translation_group),
  ],
)

/** What an event is linked to: its venues, organizers, categories and tags, in order. The table is WITHOUT ROWID, which its migration adds. */
export const links = sqliteTable(
  'links',
  {
    event_id: integer()
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['venue', 'organizer', 'category', 'tag'] }).notNull(),
    target_id: integer().notNull(),
    position: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.event_id, t.kind, t.target_id] }),
    index('links_target').on(t.kind, t.target_id, t.event_id),
  ],
)

export type MediaSize = { file: string; width: number; height: number; filesize: number }
/** A point of a picture: parts of its width and height, from 0 to 1. */
export type FocalPoint = { x: number; y: number }

export const media = sqliteTable(
  'media',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    author_id: integer()
      .notNull()
      .references(() => users.id),
    /** Path of the full picture below MEDIA_DIR, with `/`. */
    file: text().notNull(),
    mime_type: text().notNull(),
    extension: text().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    filesize: integer().notNull(),
    sizes: text({ mode: 'json' }).$type<Record<string, MediaSize>>().notNull(),
    /** Where it was downloaded from. */
    origin_url: text(),
    date_utc: text().notNull(),
    /** What it shows, for those who do not see it: plain text by language. */
    alt_texts: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    /** What stands below it: HTML by language. */
    captions: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    /** What stays in sight where it is cut: parts of its width and height from its upper left corner. Null is its centre. */
    focal_point: text({ mode: 'json' }).$type<FocalPoint>(),
  },
  (t) => [
    uniqueIndex('media_file').on(t.file),
    index('media_origin_url').on(t.origin_url),
    index('media_author').on(t.author_id),
  ],
)

/**
 * Files of pictures that no row of `media` names yet, or any more: written down before the first of them is made, and before a
 * row is deleted. What a process that was killed left behind is found here.
 */
export const loose_files = sqliteTable('loose_files', {
  id: integer().primaryKey({ autoIncrement: true }),
  /** Paths below MEDIA_DIR. */
  names: text({ mode: 'json' }).$type<string[]>().notNull(),
  /** They are to be deleted: no row may take them any more. */
  given_up: integer({ mode: 'boolean' }).notNull(),
  /** When they were written down; empty where a version did that which kept no time. */
  noted_utc: text().notNull().default(''),
})

export const users = sqliteTable(
  'users',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    login: text().notNull(),
    role: text({ enum: ['subscriber', 'contributor', 'author', 'editor', 'administrator'] }).notNull(),
    disabled: integer({ mode: 'boolean' }).notNull().default(false),
    created_utc: text().notNull(),
    /** As others are shown it; empty if there is none. */
    name: text().notNull().default(''),
    /** Address of mail in lower case, which no two users share. */
    email: text(),
    /** Which events the rights are limited to; null for all. */
    limits: text({ mode: 'json' }).$type<Limits>(),
  },
  (t) => [uniqueIndex('users_login').on(t.login), index('users_email').on(t.email)],
)
/** Rights that are limited to events in some categories, or at some venues, by ID. */
export type Limits = { categories: number[]; venues: number[] }

/** How people prove who they are: what they know, have, or are told by another service. */
export const sign_ins = sqliteTable(
  'sign_ins',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['password', 'totp', 'recovery', 'passkey', 'openid'] }).notNull(),
    name: text().notNull().default(''),
    /** The hash of a password or of a recovery code, the encrypted secret of a TOTP, the public key of a passkey in base64url and whether it is `synced` or `bound` to a device. */
    secret: text(),
    /** What the other side calls it: the ID of a passkey's credential, or issuer and subject with a space between them. */
    external: text(),
    /** The last step of a TOTP that was accepted, the counter of a passkey, or the ID of the last session that an OpenID provider opened with a proof of just then. */
    counter: integer().notNull().default(0),
    created_utc: text().notNull(),
    last_used_utc: text(),
  },
  (t) => [index('sign_ins_user').on(t.user_id), index('sign_ins_external').on(t.kind, t.external)],
)
/** What works once, and until a time: the links of invitations and of forgotten passwords, and steps of signing in. */
export const tickets = sqliteTable(
  'tickets',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    purpose: text({
      enum: [
        'invitation',
        'reset',
        'factor',
        'passkey',
        'openid',
        'totp',
        'wrong_code',
        'submission',
        'quota',
      ],
    }).notNull(),
    user_id: integer().references(() => users.id, { onDelete: 'cascade' }),
    hash: text().notNull(),
    data: text({ mode: 'json' }).$type<Record<string, string>>(),
    expires_utc: text().notNull(),
    created_utc: text().notNull(),
  },
  (t) => [uniqueIndex('tickets_hash').on(t.hash), index('tickets_expires').on(t.expires_utc)],
)
/** Mail that is to be sent. A row goes when its mail was taken by the server of mail, or was given up. */
export const mails = sqliteTable(
  'mails',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    recipient: text().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    created_utc: text().notNull(),
    tries: integer().notNull().default(0),
    next_utc: text().notNull(),
    /** The same in HTML, for programs that show it; null for a mail of plain text. */
    html: text(),
    /** Headers beside those of every mail, by name. */
    headers: text({ mode: 'json' }).$type<Record<string, string>>(),
    /** For what it is sent, such as `digest 12`: its mails are withdrawn with it, and it is told what became of them. */
    topic: text(),
  },
  (t) => [index('mails_next').on(t.next_utc), index('mails_topic').on(t.topic).where(sql`topic is not null`)],
)
/** Which events somebody wants: of one of these categories, in a town, with words; all without any. */
export type DigestFilters = { categories?: number[]; town?: string; q?: string }
/** What somebody chose: when mails come, in which language, and about which events. */
export type DigestChoice = { every: 'week' | 'publication'; language: string; filters: DigestFilters }
/** An address to which new events are sent by mail: what somebody chose, and what they chose last and have still to confirm. */
export const digests = sqliteTable(
  'digests',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    email: text().notNull(),
    /** The address in small letters, of which there is one row. */
    folded: text().notNull(),
    /** Null until it is confirmed. */
    confirmed_utc: text(),
    language: text().notNull(),
    every: text({ enum: ['week', 'publication'] }).notNull(),
    filters: text({ mode: 'json' }).$type<DigestFilters>().notNull(),
    /** The choice that waits, and until when its link works. */
    proposed: text({ mode: 'json' }).$type<DigestChoice>(),
    expires_utc: text(),
    created_utc: text().notNull(),
    /** Events that were published until then have been sent, or were not for it. */
    told_utc: text().notNull(),
    /** Mails one after the other that no server took. */
    failures: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex('digests_folded').on(t.folded),
    index('digests_due').on(t.every, t.told_utc).where(sql`confirmed_utc is not null`),
    index('digests_expires').on(t.expires_utc).where(sql`expires_utc is not null`),
  ],
)
/** An event that somebody without an account proposed, and who that was: only editors see the address, until it is forgotten. */
export const submissions = sqliteTable(
  'submissions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    event_id: integer()
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    state: text({ enum: ['waiting', 'asked', 'accepted', 'refused', 'withdrawn'] }).notNull(),
    /** Empty once they are forgotten. */
    name: text().notNull(),
    email: text().notNull(),
    language: text().notNull(),
    /** What the submitter tells the editors. */
    note: text().notNull().default(''),
    /** What the editors answered last. */
    reply: text().notNull().default(''),
    /** The hash of the key in the link with which it is corrected or withdrawn; null once that ended. */
    hash: text(),
    created_utc: text().notNull(),
    /** When it was decided or withdrawn; as long as it is open, when it was last asked back or corrected, from which on it is remembered. */
    decided_utc: text(),
    decided_by: integer().references(() => users.id, { onDelete: 'set null' }),
  },
  (t) => [
    index('submissions_event').on(t.event_id),
    index('submissions_hash').on(t.hash),
    index('submissions_state').on(t.state, t.id),
    index('submissions_decided').on(t.decided_utc),
  ],
)

export const application_passwords = sqliteTable(
  'application_passwords',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull(),
    created_utc: text().notNull(),
    last_used_utc: text(),
  },
  (t) => [index('application_passwords_user').on(t.user_id)],
)

export const tokens = sqliteTable(
  'tokens',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: text().notNull(),
    scopes: text({ mode: 'json' }).$type<('read' | 'write' | 'admin')[]>().notNull(),
    expires_utc: text(),
    created_utc: text().notNull(),
    last_used_utc: text(),
    /** The application password that a session was opened with, and ends with; null for other tokens. */
    password_id: integer().references(() => application_passwords.id, { onDelete: 'cascade' }),
    /** How a person signed in to a session, which ends with that; null for other tokens. */
    sign_in_id: integer().references(() => sign_ins.id, { onDelete: 'cascade' }),
    /** Narrows the limits of its user; null for those. */
    limits: text({ mode: 'json' }).$type<Limits>(),
  },
  (t) => [
    uniqueIndex('tokens_hash').on(t.hash),
    index('tokens_user').on(t.user_id),
    index('tokens_password').on(t.password_id),
    index('tokens_sign_in').on(t.sign_in_id),
  ],
)

/** The rendered JSON of each post, derived from the other tables in the same transaction (docs/architecture.md). */
export const documents = sqliteTable('documents', {
  post_id: integer()
    .primaryKey()
    .references(() => posts.id, { onDelete: 'cascade' }),
  /** Who may see it, so that lists need no look at the record: SQLite reads a row from its first column on. */
  status: text({ enum: ['publish', 'future', 'draft', 'pending', 'private', 'trash'] }).notNull(),
  author_id: integer().notNull(),
  translation_group: integer(),
  /** Under a password. */
  protected: integer({ mode: 'boolean' }).notNull(),
  /** An event's links in order; null for venues and organizers. */
  refs: text({ mode: 'json' }).$type<Refs>(),
  /** The record's own members, without the closing brace: packed as the two below are (src/calendar/formats/packed.ts). */
  body: blob({ mode: 'buffer' }).notNull(),
  /** Of an event under a password, what callers without it see; null elsewhere. */
  blanked: blob({ mode: 'buffer' }),
  /** The schema.org twin; of an event up to where its venue belongs. */
  json_ld: blob({ mode: 'buffer' }).notNull(),
})

export type Refs = { category: number[]; tag: number[]; venue: number[]; organizer: number[] }

/**
 * What lists of events are filtered and ordered by, one narrow row an event, derived from posts and events. Every process
 * that answers lists reads it once and holds it in memory: it needs no index.
 */
export const listings = sqliteTable('listings', {
  event_id: integer()
    .primaryKey()
    .references(() => posts.id, { onDelete: 'cascade' }),
  status: text({ enum: ['publish', 'future', 'draft', 'pending', 'private', 'trash'] }).notNull(),
  author_id: integer().notNull(),
  language: text().notNull(),
  parent_id: integer(),
  /** Wall clocks and their UTC twins, as seconds since 1970-01-01 00:00:00 of the same clock. */
  starts: integer().notNull(),
  ends: integer().notNull(),
  utc_starts: integer().notNull(),
  utc_ends: integer().notNull(),
  /** The last change, as seconds since 1970 in UTC. */
  modified: integer().notNull().default(0),
  /** `hidden`; `protected`, under a password: found by what it protects only for those who may edit it (R13); and what is filtered by. */
  ...forEach(EVENT_FLAGS, () => integer({ mode: 'boolean' }).notNull().default(false)),
  ...states(),
})

/**
 * What happened to which record, in order, in the same transaction: a row for each that was written, one with `refresh` for each
 * whose answer changed with that of another that it shows, and one with `recount` for each term whose number of events changed. Old
 * rows are removed from the beginning (src/kernel/database/changes.ts); the last row always stays.
 */
export const changes = sqliteTable('changes', {
  seq: integer().primaryKey({ autoIncrement: true }),
  kind: text().notNull(),
  record_id: integer().notNull(),
  operation: text({
    enum: ['create', 'update', 'trash', 'restore', 'publish', 'delete', 'refresh', 'recount'],
  }).notNull(),
  at_utc: text().notNull(),
  /** The user who wrote; null for the service itself and for commands. */
  by: integer(),
  /** What decided before who saw it: null where there was no record, for terms all but the language. */
  was_status: text({ enum: ['publish', 'future', 'draft', 'pending', 'private', 'trash'] }),
  was_author: integer(),
  was_language: text(),
  was_hidden: integer({ mode: 'boolean' }),
  /** What filters look at and the write changed: bits of `TOUCHED` (src/kernel/database/changes.ts). */
  touched: integer().notNull().default(0),
})

export const WEBHOOK_KINDS = ['event', 'series', 'venue', 'organizer', 'category', 'tag'] as const
export const WEBHOOK_OPERATIONS = ['created', 'updated', 'deleted'] as const

/** Receivers that are told of changes. Times are wall clocks of UTC. */
export const webhooks = sqliteTable('webhooks', {
  id: integer().primaryKey({ autoIncrement: true }),
  url: text().notNull(),
  description: text().notNull(),
  kinds: text({ mode: 'json' }).$type<(typeof WEBHOOK_KINDS)[number][]>().notNull(),
  operations: text({ mode: 'json' }).$type<(typeof WEBHOOK_OPERATIONS)[number][]>().notNull(),
  /** Filters by name, as they were read, and what they meant when they were set (src/features/sync/sources.ts). */
  filters: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  interest: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  /** Why the service disabled it; null if a person did, or if it is enabled. */
  disabled_reason: text(),
  /** As receivers know it, with its prefix. */
  secret: text().notNull(),
  /** The secret before the last rotation, and until when messages are signed with it as well. */
  previous_secret: text(),
  previous_until_utc: text(),
  /** Every change up to this one was told, or is in `webhook_deliveries`. */
  position: integer().notNull(),
  created_utc: text().notNull(),
  last_success_utc: text(),
  /** The last try of any message. */
  tried_utc: text(),
  /** The first failure since the last success. */
  failing_since_utc: text(),
  /** When it was noted that changes which it had not been told of are no longer in the log. */
  gap_utc: text(),
  /** The administrator who added it or changed it last; null if there is none any more, or was before owners were noted. */
  owner_id: integer().references(() => users.id, { onDelete: 'set null' }),
})

/**
 * Messages to webhooks: those that wait for another try, and the last ones that were told or given up. What was never tried is not here:
 * `changes` has it.
 */
export const webhook_deliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    webhook_id: integer()
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    kind: text({ enum: [...WEBHOOK_KINDS, 'ping'] }).notNull(),
    /** 0 for a ping. */
    record_id: integer().notNull(),
    operation: text({ enum: [...WEBHOOK_OPERATIONS, 'ping'] }).notNull(),
    /** The change that it tells of, and its time; of a ping 0 and the time of its request. */
    seq: integer().notNull(),
    at_utc: text().notNull(),
    status: text({ enum: ['waiting', 'delivered', 'failed', 'superseded'] }).notNull(),
    attempts: integer().notNull(),
    created_utc: text().notNull(),
    /** The first and the last try, and the next one of a message that waits. */
    first_utc: text(),
    tried_utc: text(),
    next_utc: text(),
    /** Of the last try: the status of the answer and the beginning of its body, or why there was none, and its milliseconds. */
    response_code: integer(),
    response_text: text(),
    error: text(),
    duration: integer(),
  },
  (t) => [index('webhook_deliveries_webhook').on(t.webhook_id, t.status, t.id)],
)

/** The last writes for other processes, by the mark that these gave them, in the same transaction: what is here was written. */
export const marks = sqliteTable('marks', {
  id: integer().primaryKey(),
  mark: text().notNull().unique(),
  /** The record that was created, of some kinds. */
  record_id: integer(),
})

/**
 * Requests that were sent with an `Idempotency-Key`: a row is written in the transaction of the request, and gets its response after that. A row
 * without one tells that the request was applied, and nobody knows what was answered.
 */
export const kept_answers = sqliteTable(
  'kept_answers',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The method and the path of the request, without its mount. */
    route: text().notNull(),
    key: text().notNull(),
    /** A hash of what was sent, by which another request with the same key is told apart. */
    fingerprint: text().notNull(),
    /** The ID of the request that wrote the row. */
    request: text().notNull(),
    at_utc: text().notNull(),
    status: integer(),
    headers: text({ mode: 'json' }).$type<Record<string, string>>(),
    body: text(),
  },
  (t) => [
    uniqueIndex('kept_answers_key').on(t.user_id, t.route, t.key),
    index('kept_answers_time').on(t.at_utc),
  ],
)

/**
 * The audit log: who did what that matters for security, when and from where. Rows are only ever added, and the oldest removed by
 * retention: triggers refuse anything else unless `audit_gate` has a row. It refers to no other table, because it outlives their rows.
 */
export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    at_utc: text().notNull(),
    code: text({ enum: AUDIT_CODES }).notNull(),
    origin: text({ enum: AUDIT_ORIGINS }).notNull(),
    /** The address of the client; for commands and the service the host. */
    address: text().notNull(),
    /** Who did it: the user with the login of that time, and the credential, such as `token 5`. Null for nobody who is known. */
    user_id: integer(),
    login: text(),
    credential: text(),
    subject_kind: text({ enum: AUDIT_SUBJECTS }),
    subject_id: integer(),
    /** Named details, without secrets. */
    details: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
    /** How often it happened within a minute: more than once for failures only. */
    count: integer().notNull().default(1),
  },
  (t) => [
    index('audit_code').on(t.code, t.id),
    index('audit_user').on(t.user_id, t.id),
    index('audit_subject').on(t.subject_kind, t.subject_id, t.id),
    index('audit_time').on(t.at_utc, t.id),
  ],
)

/**
 * What writes changed in events and series, by member: a row for each write that changed one. Dates of a series that follow it have none, and neither has a
 * record that was created. The oldest are removed by retention.
 */
export const revisions = sqliteTable(
  'revisions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    post_id: integer()
      .notNull()
      .references(() => posts.id, { onDelete: 'cascade' }),
    at_utc: text().notNull(),
    /** The user who wrote; null for the service itself. It refers to no row, because it outlives the user. */
    by: integer(),
    /** The changed members by name, each with its value before and after. */
    fields: text({ mode: 'json' }).$type<Record<string, [before: unknown, after: unknown]>>().notNull(),
  },
  (t) => [index('revisions_post').on(t.post_id, t.id)],
)

/** Has a row only within a transaction in which rows of `audit` may be removed or replaced: by retention, and by a copy that follows. */
export const audit_gate = sqliteTable('audit_gate', { id: integer().primaryKey() })

/** Single values: the key that tokens are hashed with. */
export const settings = sqliteTable('settings', {
  name: text().primaryKey(),
  value: text().notNull(),
})

/** One row: the settings that stored data depends on, from the first start on. The environment may not contradict them. */
export const site = sqliteTable('site', {
  id: integer().primaryKey(),
  timezone: text().notNull(),
  /** The first one is the default. */
  languages: text({ mode: 'json' }).$type<string[]>().notNull(),
  currency: text().notNull(),
  /** What derived all documents and rows for lists: `DERIVATION` of that program; 0 if they have to be derived again. */
  derivation: integer().notNull(),
})

/**
 * One row, in the local copy of a node: the group of writes up to which it has what PostgreSQL keeps (docs/scaling.md). Empty where
 * the file itself is the truth.
 */
export const replica = sqliteTable('replica', {
  id: integer().primaryKey(),
  /** The group's number and its random ID, by which another history is told apart. */
  seq: integer().notNull(),
  commit_id: text().notNull(),
  /** What PostgreSQL is known by (`head.origin`): a copy of another calendar is not followed. */
  origin: text().notNull(),
})

/**
 * The words that occur in texts of events, and of all their characters and pairs of characters, each of these behind a space. A word that is no
 * longer in any text stays.
 */
export const words = sqliteTable('words', {
  id: integer().primaryKey(),
  word: text().notNull().unique(),
})

const postingColumns = () => ({
  word: integer().notNull(),
  block: integer().notNull(),
  events: blob({ mode: 'buffer' }).notNull(),
})
/**
 * In which events each word occurs. The number of a word is its ID or, for what a password protects, its ID below 0. A block has 131,072 IDs of events;
 * `events` holds those that have the word (src/calendar/index/postings.ts), or nothing if they stand in `long_postings`. The table is WITHOUT ROWID, which
 * its migration adds.
 */
export const postings = sqliteTable('postings', postingColumns(), (t) => [
  primaryKey({ columns: [t.word, t.block] }),
])
/** The events of words that take more bytes than a row of `postings` holds. It is WITHOUT ROWID as well. */
export const long_postings = sqliteTable('long_postings', postingColumns(), (t) => [
  primaryKey({ columns: [t.word, t.block] }),
])

/**
 * The events whose texts changed since `postings` had them, with the texts that may stand there: null if these are not known, empty if there are none.
 * Row 0 tells who merges.
 */
export const unindexed = sqliteTable('unindexed', {
  event_id: integer().primaryKey(),
  open: text(),
  sealed: text(),
  /** The number of the merge that has put its texts into some of `postings`; 0 if none has. */
  merge: integer().notNull(),
})

/** A page of a list as it was read: its ETag, the IDs of its records, and how many records and pages the list had. */
export type ImportedPage = { etag: string; ids: number[]; total: number; pages: number }

/** Other calendars that records were taken from, each by the address of its API. */
export const import_sources = sqliteTable(
  'import_sources',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    url: text().notNull(),
    /** Whether its records keep their IDs here, as far as these are free: the calendar was empty when its first import began. */
    keeps_ids: integer({ mode: 'boolean' }).notNull(),
    /** The pages that imports read, by their addresses. */
    pages: text({ mode: 'json' }).$type<Record<string, ImportedPage>>().notNull(),
  },
  (t) => [uniqueIndex('import_sources_url').on(t.url)],
)

/** Imports, each from one source. One without an end goes on, or was broken off. Times are wall clocks of UTC. */
export const import_runs = sqliteTable(
  'import_runs',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    source_id: integer()
      .notNull()
      .references(() => import_sources.id, { onDelete: 'cascade' }),
    began_utc: text().notNull(),
    ended_utc: text(),
    /** How many records were created, changed and so on. */
    counts: text({ mode: 'json' }).$type<Record<string, number>>().notNull(),
  },
  (t) => [index('import_runs_source').on(t.source_id, t.id)],
)

/** What was taken from other calendars: which record of the source is which one here. */
export const imports = sqliteTable(
  'imports',
  {
    source_id: integer()
      .notNull()
      .references(() => import_sources.id, { onDelete: 'cascade' }),
    kind: text({ enum: ['event', 'series', 'venue', 'organizer', 'category', 'tag'] }).notNull(),
    remote_id: integer().notNull(),
    /** The record here. It may be deleted by now, so this refers to no row. */
    record_id: integer().notNull(),
    /** A hash of what was taken; empty where part of it is to be taken again. */
    digest: text().notNull(),
    /** `modified_utc` of the record after the last import that wrote it: another one says that it was edited here since. */
    version: text().notNull(),
    /** The import that made the record; null where it was here before, as a category of the same name. */
    made_run: integer(),
    /** The last import that wrote it. */
    run_id: integer().notNull(),
    /** It is gone from the source, and was put in the trash here. */
    gone: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.source_id, t.kind, t.remote_id] }),
    index('imports_record').on(t.kind, t.record_id),
    index('imports_made').on(t.made_run),
  ],
)

/** What must not be lost, in the order in which references lead back. Everything else is derived from it, or holds for this file alone. */
export const TRUTH = [
  ...[
    settings,
    site,
    users,
    application_passwords,
    sign_ins,
    tickets,
    tokens,
    media,
    posts,
    events,
    series,
    occurrences,
    externals,
  ],
  ...[
    venues,
    organizers,
    terms,
    links,
    changes,
    webhooks,
    webhook_deliveries,
    marks,
    kept_answers,
    audit,
    revisions,
  ],
  ...[import_sources, import_runs, imports],
  ...[mails, submissions, digests],
] as const

/** Derived from the truth, or of this file alone. */
export const LOCAL = [
  ...[documents, listings, words, postings, long_postings, unindexed],
  ...[loose_files, replica, audit_gate],
] as const

/** What the contents of a database are counted by. */
export const COUNTED = {
  events: "SELECT count(*) FROM posts WHERE kind = 'event'",
  venues: 'SELECT count(*) FROM venues',
  organizers: 'SELECT count(*) FROM organizers',
}
