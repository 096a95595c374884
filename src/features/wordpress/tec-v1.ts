import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { noPage } from '../../calendar/resource/page.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { addCollection } from './collection.ts'
import type { PostType } from './formats/posts.ts'
import { tecShown } from './formats/tec.ts'
import { tecDocument } from './formats/tec-document.ts'
import { type Kind, openKinds } from './kinds.ts'
import { type Place, WP } from './place.ts'
import { readQuery } from './queries.ts'
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
