import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { PostType } from '../../../formats/wordpress/posts.ts'
import type { Service } from '../../resource/service.ts'
import { mountOf } from '../../server/mounts.ts'
import { knowsPictures, tidied } from './bodies.ts'
import type { Place } from './place.ts'

/** The bodies that are understood, by their schemas. */
const BODIES: Record<string, PostType> = {
  EventInput: 'tribe_events',
  EventUpdate: 'tribe_events',
  VenueInput: 'tribe_venue',
  VenueUpdate: 'tribe_venue',
  OrganizerInput: 'tribe_organizer',
  OrganizerUpdate: 'tribe_organizer',
}

/**
 * Understands members in writes to the API that The Events Calendar drops in silence and whose meaning is plain, such as `venue_id`: at
 * the mounts below `/wp-json` alone. Register it before the routes of the API.
 */
export const tidyWrites = (place: Place) =>
  fp<{ service: Service }>(
    async (app, { service }) => {
      app.addHook('onRoute', (route) => {
        const { hide, body = {} } = { ...route.schema }
        const type = hide ? undefined : BODIES[(body as { $ref: string }).$ref]
        if (type === undefined) return
        const tidy = async (request: FastifyRequest) => {
          if (place.has(mountOf(request)))
            request.body = await tidied(
              type,
              request.body as Record<string, unknown>,
              knowsPictures(service, request),
            )
        }
        route.preValidation = [route.preValidation, tidy].flat().filter((hook) => hook !== undefined)
      })
    },
    { name: 'untidy writes', dependencies: ['methods', 'validator'] },
  )
