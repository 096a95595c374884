import type { Caller } from '../../kernel/access/rights.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { insert, placeIn, sorted } from '../../kernel/sorting.ts'
import type { Task } from '../../kernel/tasks/scheduler.ts'
import { canRead, type Owned } from '../rights.ts'

const EARTH_KM = 6371.0088
/** Of latitude, at the least. */
const KM_PER_DEGREE = 111
/** Greater than any error of rounding. */
const MARGIN = 1e-6
/** Venues that one step reads. */
const STEP = 1_000

/** A venue with coordinates in degrees. */
type Location = Owned & { id: number; lat: number; lng: number }
type Columns = [id: number, lat: number, lng: number, status: Location['status'], author: number]

const LOCATED = `select post_id, geo_lat, geo_lng, status, author_id from venues join posts on id = post_id
  where geo_lat is not null and geo_lng is not null and status <> 'trash'`
/** The place of a row, in the order of `LOCATED`. */
const locationOf = ([id, lat, lng, status, author_id]: Columns): Location => ({
  id,
  lat,
  lng,
  status,
  author_id,
})
const southFirst = (a: Location, b: Location) => a.lat - b.lat || a.id - b.id

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** How many degrees of longitude away a place within a radius may lie, a little more than that: any where the radius reaches a pole. */
function widthOf(lat: number, radius: number): number {
  const angle = radius / EARTH_KM
  const isAny = angle >= Math.PI / 2 - Math.abs(radians(lat)) - MARGIN
  return isAny ? 180 : (Math.asin(Math.sin(angle) / Math.cos(radians(lat))) * 180) / Math.PI + MARGIN
}

/** Kilometres between two places on the sphere, by the haversine formula (D18). */
function distance(lat: number, lng: number, place: Location): number {
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2
  const haversine =
    half(place.lat - lat) + Math.cos(radians(lat)) * Math.cos(radians(place.lat)) * half(place.lng - lng)
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(haversine)))
}

/**
 * Where venues are, in memory from south to north: a search near a point looks at a band of latitudes, and there at
 * the longitudes. They are read at the first use and
 * follow the writes of all processes.
 */
export function openVenueLocations(db: Db, changes: Changes) {
  let places: Location[] | undefined
  /** How often all were forgotten, which those who are reading have to know. */
  let resets = 0
  const written = new Set<number>()
  const follow = openFollowing(changes, ['venue'], {
    on: ({ id }) => void written.add(id),
    reset() {
      places = undefined
      resets++
      written.clear()
    },
  })

  /** Reads again the venues that were written. */
  function refresh(stale: Location[]): Location[] {
    if (written.size === 0) return stale
    const ids = JSON.stringify([...written])
    const rows = db.rows<Columns>(`${LOCATED} and post_id in (select value from json_each(?))`, ids)
    const left = stale.filter(({ id }) => !written.has(id))
    written.clear()
    for (const row of rows) insert(left, locationOf(row), southFirst)
    return left
  }

  function* readAll(): Task<Location[]> {
    const found: Location[] = []
    for (let after = 0, isMore = true; isMore; ) {
      const rows = db.rows<Columns>(`${LOCATED} and post_id > ? order by post_id limit ${STEP}`, after)
      for (const row of rows) found.push(locationOf(row))
      after = rows.at(-1)?.[0] ?? after
      isMore = rows.length === STEP
      yield
    }
    return yield* sorted(found, southFirst)
  }

  /** All venues with coordinates, as they are now. */
  function* current(): Task<readonly Location[]> {
    follow()
    while (places === undefined) {
      const before = resets
      const read = yield* readAll()
      follow()
      // what was written while they were read is read again below
      if (before === resets) places ??= read
    }
    places = refresh(places)
    return places
  }

  /** The IDs, in order, of those that the caller may see, so that the place of others stays unknown. */
  const idsFor = (caller: Caller, found: readonly Location[]) =>
    found
      .filter((place) => canRead(caller, place))
      .map(({ id }) => id)
      .sort((a, b) => a - b)

  return {
    /** The venues within so many kilometres of a point in degrees. */
    *near(caller: Caller, lat: number, lng: number, radius: number): Task<number[]> {
      const all = yield* current()
      const band = radius / KM_PER_DEGREE
      const first = (from: number) => placeIn(all, (place) => place.lat < from)
      const inBand = all.slice(first(lat - band), first(lat + band))
      const width = widthOf(lat, radius)
      // a difference is worked out in a hundredth of the time of a distance
      const isBeside = (place: Location) => {
        const apart = Math.abs(place.lng - lng)
        return apart <= width || apart >= 360 - width
      }
      return idsFor(
        caller,
        inBand.filter((place) => isBeside(place) && distance(lat, lng, place) <= radius),
      )
    },
    /** The venues with coordinates. */
    *located(caller: Caller): Task<number[]> {
      return idsFor(caller, yield* current())
    },
  }
}
