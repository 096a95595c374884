import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { noPage } from '../../calendar/resource/envelope.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { addCollection } from './collection.ts'
import { type Place, WP } from './discovery.ts'
import { moment, type Own, type PostType, postShown } from './formats.ts'
import { type Kind, openKinds } from './kinds.ts'
import { readQuery } from './requests.ts'
import { jsonOf, openShowing } from './showing.ts'

const NAMESPACE = 'tec/v1'
const MINUTE = 60_000

/**
 * `tec/v1`, the newer routes of The Events Calendar: lists are arrays, and records are posts with dates and places. `X-TEC-EEA`, by which
 * its clients say that they know it to be an experiment, is not required.
 */
export const tecRoutes = (place: Place) =>
  family('tec/v1', async (app, service) => {
    const showing = openShowing(service, place)
    const { tribe_events, tribe_venue, tribe_organizer, tribe_events_cat, tags } = openKinds(service)
    const events: Kind = {
      ...tribe_events,
      list: (asked, request) => tribe_events.list({ orderby: 'event_date', ...asked }, request),
    }
    const kinds = {
      events,
      venues: tribe_venue,
      organizers: tribe_organizer,
      categories: tribe_events_cat,
      tags,
    }
    const minute = () => Math.floor(service.site.clock() / MINUTE) * MINUTE
    const shown = (type: PostType) => ({
      show: (own: object) => tecShown(type, own, toWall(minute(), 'UTC')),
      // what is over is so from a minute on
      last: (request: FastifyRequest) => {
        request.until = Math.min(request.until, minute() + MINUTE)
      },
    })
    for (const [base, kind] of Object.entries<Kind>(kinds))
      addCollection(app, service, showing, kind, {
        namespace: NAMESPACE,
        base,
        beyond: (page, pages) => noPage(kind.resource.name, page, pages),
        ...(kind.type ? shown(kind.type) : { show: kind.show, links: kind.links }),
      })

    const lists = Object.fromEntries(
      Object.entries<Kind>(kinds).map(([base, { query }]) => [base, Object.keys(query.properties)]),
    )
    const schema = { hide: true, querystring: Type.Object(readQuery(service.site.languages)) }
    app.get(`${WP}/${NAMESPACE}/docs`, { schema }, async (request, reply) => {
      const url = `${showing.where(request).rest}/${NAMESPACE}`
      return bodyOf(request, reply, jsonOf(tecDocument(url, lists)))
    })
  })

const idsOf = (value: Own | Own[]): number[] => [value].flat().map(({ id }) => id)
const secondsBetween = (from: string, to: string) =>
  (Date.parse(`${moment(to)}Z`) - Date.parse(`${moment(from)}Z`)) / 1_000

/** What `tec/v1` adds to the post of an event: its dates, places and organizers. */
const eventMembers = (own: Own, now: string) => ({
  start_date: own.start_date,
  start_date_utc: own.utc_start_date,
  end_date: own.end_date,
  end_date_utc: own.utc_end_date,
  timezone: own.timezone,
  duration: secondsBetween(own.utc_start_date, own.utc_end_date),
  multiday: own.start_date.slice(0, 10) !== own.end_date.slice(0, 10),
  is_past: own.utc_end_date <= now,
  is_now: own.utc_start_date <= now && now < own.utc_end_date,
  all_day: own.all_day,
  featured: own.featured,
  sticky: own.sticky,
  cost: own.cost,
  website: own.website,
  organizers: idsOf(own.organizer),
  venues: idsOf(own.venue),
})

/** What `tec/v1` adds to the post of a venue or organizer, by the member of ours. */
const PLACE_NAMES: Record<string, string> = {
  address: 'address',
  city: 'city',
  country: 'country',
  province: 'province',
  state: 'state',
  stateprovince: 'state_province',
  zip: 'zip',
  phone: 'phone',
  website: 'website',
  email: 'email',
  geo_lat: 'lat',
  geo_lng: 'lng',
}

/** A record as `tec/v1` shows it (reference §8). `now` is the time in UTC, `YYYY-MM-DD HH:MM:SS`. */
function tecShown(type: PostType, own: Own, now: string) {
  const post = postShown(type, own, 'view')
  if (type === 'tribe_events') return { ...post, ...eventMembers(own, now) }
  const placed = Object.entries(PLACE_NAMES).filter(([name]) => own[name] !== undefined)
  return { ...post, ...Object.fromEntries(placed.map(([name, shown]) => [shown, own[name]])) }
}

type Schema = Record<string, unknown>

const text = { type: 'string' }
const whole = { type: 'integer' }
const yes = { type: 'boolean' }
const ids = { type: 'array', items: whole }
const rendered = { type: 'object', properties: { rendered: text, protected: yes } }

const members = (schema: Schema, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, schema]))

const POST = {
  id: whole,
  ...members(text, 'date', 'date_gmt', 'modified', 'modified_gmt', 'slug', 'status', 'type', 'link'),
  ...members(rendered, 'guid', 'title', 'content', 'excerpt'),
  ...members(whole, 'author', 'featured_media'),
}
const PLACED = members(text, 'address', 'city', 'country', 'state_province', 'zip', 'phone', 'website')
const DATES = members(text, 'start_date', 'end_date', 'timezone', 'cost', 'website')

/** What each kind shows, and what its writes take beside that: titles and texts are then plain strings. */
const KINDS: Record<string, { shown: Schema; written: Schema; required: string[] }> = {
  events: {
    shown: {
      ...POST,
      ...DATES,
      ...members(text, 'start_date_utc', 'end_date_utc'),
      ...members(yes, 'all_day', 'featured', 'sticky', 'multiday', 'is_past', 'is_now'),
      ...members(ids, 'tags', 'tribe_events_cat', 'organizers', 'venues'),
      duration: whole,
    },
    written: {
      ...DATES,
      ...members(yes, 'all_day', 'featured', 'sticky'),
      ...members(ids, 'tags', 'categories', 'organizers', 'venues'),
    },
    required: ['title', 'start_date', 'end_date'],
  },
  venues: {
    shown: { ...POST, ...PLACED, ...members({ type: 'number' }, 'lat', 'lng') },
    written: { ...PLACED, ...members({ type: 'number' }, 'lat', 'lng') },
    required: ['title'],
  },
  organizers: {
    shown: { ...POST, ...members(text, 'phone', 'website', 'email') },
    written: members(text, 'phone', 'website', 'email'),
    required: ['title'],
  },
}
const WRITTEN = {
  ...members(text, 'title', 'content', 'excerpt', 'status', 'slug', 'date'),
  featured_media: whole,
}
const TERM = { id: whole, count: whole, ...members(text, 'name', 'slug', 'description', 'link', 'taxonomy') }
const TERM_WRITTEN = members(text, 'name', 'slug', 'description')

const one = (name: string) =>
  name
    .replace(/ies$/, 'y')
    .replace(/s$/, '')
    .replace(/^./, (first) => first.toUpperCase())
const json = (schema: Schema) => ({ 'application/json': { schema } })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answer = (description: string, schema: Schema) => ({ description, content: json(schema) })
const FAILED = { default: answer('An error.', to('Error')) }

/** The operations of a kind, by path and method. `names` are the parameters of its list. */
function pathsOf(kind: string, names: readonly string[], isPost: boolean): Record<string, object> {
  const One = one(kind)
  const done = (status: string, description: string, schema: Schema) => ({
    [status]: answer(description, schema),
    ...FAILED,
  })
  const body = (name: string) => ({ requestBody: { required: true, content: json(to(name)) } })
  const id = [{ name: 'id', in: 'path', required: true, schema: whole }]
  const force = [{ name: 'force', in: 'query', schema: yes }]
  const operation = (verb: string, more: object) => ({ operationId: `${verb}${One}`, tags: [kind], ...more })
  return {
    [`/${kind}`]: {
      get: operation('list', {
        parameters: names.map((name) => ({ name, in: 'query', schema: text })),
        responses: done('200', 'A list.', { type: 'array', items: to(One) }),
      }),
      post: operation('create', { ...body(`${One}Input`), responses: done('201', 'Created.', to(One)) }),
    },
    [`/${kind}/{id}`]: {
      get: operation('get', { parameters: id, responses: done('200', 'One record.', to(One)) }),
      put: operation('update', {
        parameters: id,
        ...body(`${One}Update`),
        responses: done('200', 'Changed.', to(One)),
      }),
      ...(isPost && {
        delete: operation('delete', {
          parameters: [...id, ...force],
          responses: done('200', 'In the trash, or deleted.', { type: 'object' }),
        }),
      }),
    },
  }
}

const object = (properties: Schema, required: string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/** The OpenAPI document of `tec/v1` at a URL. `lists` has the parameters of the list of each kind. */
function tecDocument(url: string, lists: Record<string, readonly string[]>) {
  const schemas: Record<string, Schema> = {
    Error: object({ code: text, message: text, data: object({ status: whole }) }, [
      'code',
      'message',
      'data',
    ]),
  }
  const paths: Record<string, object> = {}
  for (const [kind, names] of Object.entries(lists)) {
    const known = KINDS[kind]
    const One = one(kind)
    const written = known ? { ...WRITTEN, ...known.written } : TERM_WRITTEN
    schemas[One] = object(known ? known.shown : TERM)
    schemas[`${One}Input`] = object(written, known ? known.required : ['name'])
    schemas[`${One}Update`] = object(written)
    Object.assign(paths, pathsOf(kind, names, known !== undefined))
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'The Events Calendar, tec/v1',
      version: '1.0.0',
      description: 'What clients of tec/v1 use. All that there is, is in the API at /tribe/events/v1.',
    },
    servers: [{ url }],
    security: [{}, { password: [] }],
    paths,
    components: { schemas, securitySchemes: { password: { type: 'http', scheme: 'basic' } } },
  }
}
