import { discoveryRoutes, pageHeaders } from './discovery.ts'
import type { Place } from './place.ts'
import { movedRoutes } from './views.ts'

export type { Place }

/** All that WordPress clients look for beside the API itself. Its hooks are for the pages, which are registered after it. */
export const wordpressRoutes = (place: Place) => [pageHeaders(place), discoveryRoutes(place), movedRoutes]
