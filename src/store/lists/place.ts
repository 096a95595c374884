import { type SQL, sql } from 'drizzle-orm'
import { posts, venues } from '../../../drizzle/tables.ts'
import type { Caller } from '../../rules/roles.ts'
import type { Task } from '../../support/scheduler.ts'
import { readablePosts } from '../records/visibility.ts'
import type { Db } from '../sqlite/db.ts'

const EARTH_KM = 6371.0088
const KM_PER_DEGREE = 111.2
/** Venues that one step checks. */
const STEP = 1_000

/** Has coordinates. */
export const LOCATED = sql`${venues.geo_lat} is not null and ${venues.geo_lng} is not null`

/** Within so many kilometres of a place in degrees, on the sphere: a band of latitudes first, then the exact distance (D18). */
export function isWithin(lat: number, lng: number, radius: number): SQL {
  const half = (degrees: SQL) => sql`pow(sin(radians(${degrees}) / 2), 2)`
  const haversine = sql`${half(sql`${venues.geo_lat} - ${lat}`)} + cos(radians(${lat})) * cos(radians(${venues.geo_lat})) * ${half(sql`${venues.geo_lng} - ${lng}`)}`
  const band = radius / KM_PER_DEGREE
  return sql`${venues.geo_lat} between ${lat - band} and ${lat + band} and 2 * ${EARTH_KM} * asin(min(1, sqrt(${haversine}))) <= ${radius}`
}

const NEXT = `select max(post_id) from (select post_id from venues where post_id > ? order by post_id limit ${STEP})`

/** IDs of the venues that fulfil `condition`, in order. Only those that the caller may see, so that the place of others stays unknown. */
export function* venuesWith(db: Db, caller: Caller, condition: SQL): Task<number[]> {
  const found: number[] = []
  const endAfter = (id: number) => db.rows<[number | null]>(NEXT, id)[0]![0]
  let after = 0
  for (let end = endAfter(after); end !== null; end = endAfter(after)) {
    const rows = db.read.values<[number]>(
      sql`select ${venues.post_id} from ${venues} join ${posts} on ${posts.id} = ${venues.post_id} where ${venues.post_id} > ${after} and ${venues.post_id} <= ${end} and ${condition} and ${readablePosts(caller, undefined)} order by 1`,
    )
    for (const [id] of rows) found.push(id)
    after = end
    yield
  }
  return found
}
