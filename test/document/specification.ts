/** How the specification names types; `none declared` is published without a type, `not stated` may be any. */
export type Type =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'double'
  | 'date-time'
  | 'array of integer'
  | 'one of ca, en, es'
  | 'none declared'
  | 'not stated'

/** A row of a table: name, type, whether it is required, and the default where there is one. */
export type Row = [name: string, type: Type, required: 'required' | 'optional', fallback?: unknown]

const LANGUAGE: Row = ['i18n_language', 'one of ca, en, es', 'optional']

/** A default that is worked out when the request comes, and so is not published. */
export const GENERATED = Symbol('generated')

// ---- §2 Resources and their fields

/** §2.1 */
export const EVENT: Row[] = [
  ['title', 'string', 'required'],
  ['start_date', 'string', 'required'],
  ['end_date', 'string', 'required'],
  ['author', 'integer', 'optional'],
  ['date', 'string', 'optional'],
  ['date_utc', 'string', 'optional'],
  ['description', 'string', 'optional'],
  ['slug', 'string', 'optional'],
  ['excerpt', 'string', 'optional'],
  ['status', 'string', 'optional'],
  ['timezone', 'string', 'optional'],
  ['all_day', 'boolean', 'optional', false],
  ['image', 'string', 'optional'],
  ['cost', 'none declared', 'optional'],
  ['website', 'none declared', 'optional', null],
  ['show_map', 'boolean', 'optional'],
  ['show_map_link', 'boolean', 'optional'],
  ['hide_from_listings', 'boolean', 'optional'],
  ['sticky', 'boolean', 'optional'],
  ['featured', 'boolean', 'optional'],
  ['categories', 'array of integer', 'optional', null],
  ['tags', 'array of integer', 'optional', null],
  ['venue', 'array of integer', 'optional', null],
  ['organizer', 'array of integer', 'optional', null],
  LANGUAGE,
]

const PASSWORD: Row = ['password', 'string', 'optional']

/** §2.2 */
const VENUE: Row[] = [
  ['venue', 'string', 'required'],
  ['author', 'integer', 'optional'],
  ['date', 'string', 'optional'],
  ['date_utc', 'string', 'optional'],
  ['description', 'string', 'optional', null],
  ['status', 'string', 'optional'],
  ['show_map', 'string', 'optional', null],
  ['show_map_link', 'string', 'optional', null],
  ['address', 'string', 'optional', null],
  ['city', 'string', 'optional', null],
  ['country', 'string', 'optional', null],
  ['province', 'string', 'optional', null],
  ['state', 'string', 'optional', null],
  ['zip', 'string', 'optional', null],
  ['phone', 'string', 'optional', null],
  ['stateprovince', 'string', 'optional', null],
  ['website', 'string', 'optional', null],
  ['image', 'string', 'optional', null],
  LANGUAGE,
]

/** §2.3 */
export const ORGANIZER: Row[] = [
  ['organizer', 'string', 'required', null],
  ['author', 'integer', 'optional', null],
  ['date', 'string', 'optional', null],
  ['date_utc', 'string', 'optional', null],
  ['description', 'string', 'optional', null],
  ['status', 'string', 'optional', null],
  ['phone', 'string', 'optional', null],
  ['website', 'string', 'optional', null],
  ['email', 'string', 'optional', null],
  ['image', 'string', 'optional', null],
  LANGUAGE,
]

/** §2.5 */
export const TAG: Row[] = [
  ['name', 'string', 'required'],
  ['description', 'string', 'optional'],
  ['slug', 'string', 'optional'],
  LANGUAGE,
]

/** §2.4 */
const CATEGORY: Row[] = [...TAG, ['parent', 'integer', 'optional']]

// ---- §4 Endpoints

const PAGING: Row[] = [
  ['page', 'integer', 'optional', 1],
  ['per_page', 'integer', 'optional', 12],
]

/** §4.2 */
const EVENTS: Row[] = [
  ...PAGING,
  ['start_date', 'date-time', 'optional', GENERATED],
  ['end_date', 'date-time', 'optional', GENERATED],
  ['starts_before', 'date-time', 'optional'],
  ['starts_after', 'date-time', 'optional'],
  ['ends_before', 'date-time', 'optional'],
  ['ends_after', 'date-time', 'optional'],
  ['strict_dates', 'none declared', 'optional', false],
  ['search', 'string', 'optional'],
  ['categories', 'array of integer', 'optional'],
  ['tags', 'array of integer', 'optional'],
  ['venue', 'array of integer', 'optional'],
  ['organizer', 'array of integer', 'optional'],
  ['featured', 'boolean', 'optional'],
  ['status', 'string', 'optional'],
  ['geoloc', 'boolean', 'optional'],
  ['geoloc_lat', 'double', 'optional'],
  ['geoloc_lng', 'double', 'optional'],
  ['include', 'array of integer', 'optional'],
  ['post_parent', 'integer', 'optional'],
  ['ticketed', 'boolean', 'optional'],
]

/** §4.3, §4.4 */
const LINKED: Row[] = [
  ...PAGING,
  ['search', 'string', 'optional'],
  ['event', 'integer', 'optional'],
  ['has_events', 'none declared', 'optional'],
  ['only_with_upcoming', 'none declared', 'optional', false],
  ['status', 'string', 'optional'],
]

/** §4.6; the default of `hide_empty` is written as 1 and published as the boolean that it means. */
const TAGS: Row[] = [
  ...PAGING,
  ['search', 'string', 'optional'],
  ['exclude', 'array of integer', 'optional'],
  ['include', 'array of integer', 'optional'],
  ['order', 'string', 'optional'],
  ['orderby', 'string', 'optional'],
  ['hide_empty', 'boolean', 'optional', true],
  ['post', 'integer', 'optional'],
  ['event', 'integer', 'optional'],
  ['slug', 'string', 'optional'],
]

/** §4.5 */
const CATEGORIES: Row[] = [...TAGS, ['parent', 'integer', 'optional']]

export type Endpoint = { method: string; path: string; inPath: Row[]; query: Row[]; body: Row[] }

const ID: Row = ['id', 'integer', 'required']
const SLUG: Row = ['slug', 'string', 'required']

const get = (path: string, inPath: Row[], query: Row[]): Endpoint => ({
  method: 'get',
  path,
  inPath,
  query: [...query, LANGUAGE],
  body: [],
})
const remove = (path: string, inPath: Row[], query: Row[]): Endpoint => ({
  ...get(path, inPath, query),
  method: 'delete',
})
const create = (path: string, body: Row[]): Endpoint => ({
  method: 'post',
  path,
  inPath: [],
  query: [LANGUAGE],
  body,
})
const update = (path: string, inPath: Row[], fields: Row[]): Endpoint[] =>
  ['post', 'put', 'patch'].map((method) => ({
    method,
    path,
    inPath,
    query: [LANGUAGE],
    body: fields.map(([name, type, , fallback]): Row => [name, type, 'optional', fallback]),
  }))

/** List, create, read, delete and update at one address; `more` parameters are those of the single record by ID. */
const collection = (path: string, query: Row[], fields: Row[], more: Row[] = []): Endpoint[] => [
  get(path, [], query),
  create(path, fields),
  get(`${path}/{id}`, [ID], more),
  remove(`${path}/{id}`, [ID], more),
  ...update(`${path}/{id}`, [ID], [...fields, ...more]),
]
const bySlug = (path: string, fields: Row[]): Endpoint[] => [
  get(`${path}/by-slug/{slug}`, [SLUG], []),
  remove(`${path}/by-slug/{slug}`, [SLUG], []),
  ...update(`${path}/by-slug/{slug}`, [SLUG], fields),
]

export const ENDPOINTS: Endpoint[] = [
  get(
    '/',
    [],
    [
      ['namespace', 'not stated', 'optional', 'calendar/events/v1'],
      ['context', 'not stated', 'optional', 'view'],
    ],
  ),
  get('/doc', [], []),
  ...collection('/events', EVENTS, EVENT, [PASSWORD]),
  ...bySlug('/events', EVENT),
  ...collection('/venues', LINKED, VENUE),
  ...bySlug('/venues', VENUE),
  ...collection('/organizers', LINKED, ORGANIZER),
  ...bySlug('/organizers', ORGANIZER),
  ...collection('/categories', CATEGORIES, CATEGORY),
  ...collection('/tags', TAGS, TAG),
]
