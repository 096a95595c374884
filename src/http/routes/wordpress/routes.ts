import { discoveryRoutes, pageHeaders } from './discovery.ts'
import { listLanguages } from './languages.ts'
import { wpMediaRoutes } from './media.ts'
import type { Place } from './place.ts'
import { tecRoutes } from './tec-v1.ts'
import { tidyWrites } from './tidy.ts'
import { movedRoutes } from './views.ts'
import { wpRoutes } from './wp-v2.ts'

export type { Place }

/** All that WordPress clients look for beside the API itself. Its hooks are for the pages and the API, which are registered after it. */
export const wordpressRoutes = (place: Place) => [
  pageHeaders(place),
  tidyWrites(place),
  listLanguages(place),
  discoveryRoutes(place),
  movedRoutes,
  wpRoutes(place),
  wpMediaRoutes(place),
  tecRoutes(place),
]
