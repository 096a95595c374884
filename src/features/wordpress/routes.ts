import type { OpenRoom } from '../../calendar/resource/room.ts'
import { listLanguages, tidyWrites } from './compatibility.ts'
import { discoveryRoutes, pageHeaders } from './discovery.ts'
import { wpMediaRoutes } from './media.ts'
import { openPlace } from './place.ts'
import { tecRoutes } from './tec-v1.ts'
import { movedRoutes } from './views.ts'
import { wpRoutes } from './wp-v2.ts'

/** All that WordPress clients look for beside the API itself, if a mount is below `/wp-json`. */
export const wordpress: OpenRoom = (mounts, languages, settings) => {
  const place = openPlace(mounts, languages, settings)
  if (place === undefined) return undefined
  const { rewrite, markupIn } = place
  const hooks = [pageHeaders(place), tidyWrites(place), listLanguages(place)]
  const namespaces = [discoveryRoutes(place), wpRoutes(place), wpMediaRoutes(place), tecRoutes(place)]
  return { rewrite, markupIn, routes: [...hooks, movedRoutes, ...namespaces] }
}
