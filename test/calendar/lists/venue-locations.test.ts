import fc from 'fast-check'
import t from 'tap'
import { openVenueLocations } from '../../../src/calendar/lists/venue-locations.ts'
import { EVERYTHING, recordChange } from '../../../src/kernel/database/changes.ts'
import { finish, type Task } from '../../../src/kernel/tasks/scheduler.ts'
import { must } from '../../support/answers.ts'
import { openRecords } from '../../support/store.ts'

const here = (lat: number, lng: number, venue = 'Hall') => ({ venue, geo_lat: lat, geo_lng: lng })

t.test('venues are found where they are now', async (t) => {
  const { store, editor } = await openRecords(t)
  const places = openVenueLocations(store.db, store.changes)
  const near = (lat: number, lng: number) => finish(places.near(undefined, lat, lng, 10))
  const add = async (lat: number, lng: number): Promise<number> =>
    (await must(editor.create('venue', here(lat, lng)))).id
  t.same(near(41, 2), [], 'nothing is there')
  const [first, second, third] = [await add(41, 2), await add(41.05, 2), await add(-33, 151)]
  t.same(near(41, 2), [first, second])
  t.same(near(-33, 151), [third])
  await must(editor.change('venue', third, here(41, 2.01)))
  t.same(near(41, 2), [first, second, third], 'one that moved here')
  t.same(near(-33, 151), [])
  await must(editor.change('venue', first, { geo_lat: null, geo_lng: null }))
  await must(editor.remove('venue', second))
  const fourth = await add(41, 1.99)
  t.same(near(41, 2), [third, fourth], 'without what has no place any more, or is in the trash')
  await must(editor.change('venue', fourth, { status: 'private' }))
  t.same(near(41, 2), [third], 'a private one is not found by others')
  t.same(finish(places.near({ id: 99, role: 'editor' }, 41, 2, 10)), [third, fourth])
  t.same(finish(places.located(undefined)), [third])
})

t.test('what is written while all are read counts', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db, changes } = store
  const { id } = await must(editor.create('venue', here(41, 2)))
  const during = async <T>(task: Task<T>, write: () => Promise<unknown>): Promise<T> => {
    for (let steps = 0; ; steps++) {
      const { done, value } = task.next()
      if (done) return value
      if (steps === 0) await write()
    }
  }
  const moved = await during(openVenueLocations(db, changes).near(undefined, 41, 2, 10), () =>
    must(editor.change('venue', id, here(10, 2))),
  )
  t.same(moved, [])
  const forget = () =>
    db.write((tx) => recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: Date.now() }))
  const places = openVenueLocations(db, changes)
  t.same(await during(places.near(undefined, 10, 2, 10), forget), [id], 'all are read once more')
  await forget()
  t.same(finish(places.near(undefined, 10, 2, 10)), [id])
})

t.test('a search near a point finds what the distance to each venue says', async (t) => {
  const { store, editor } = await openRecords(t)
  const numbers = fc.sample(
    fc.tuple(fc.double({ min: -90, max: 90, noNaN: true }), fc.double({ min: -180, max: 180, noNaN: true })),
    { numRuns: 150, seed: 29 },
  )
  const venues: { id: number; lat: number; lng: number }[] = []
  for (const [lat, lng] of numbers)
    venues.push({ id: (await must(editor.create('venue', here(lat, lng)))).id, lat, lng })
  const places = openVenueLocations(store.db, store.changes)
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  // by the angle between two vectors, another way than that of the service
  const vector = (lat: number, lng: number) => [
    Math.cos(radians(lat)) * Math.cos(radians(lng)),
    Math.cos(radians(lat)) * Math.sin(radians(lng)),
    Math.sin(radians(lat)),
  ]
  const apart = (a: number[], b: number[]) => {
    const cross = [
      a[1]! * b[2]! - a[2]! * b[1]!,
      a[2]! * b[0]! - a[0]! * b[2]!,
      a[0]! * b[1]! - a[1]! * b[0]!,
    ]
    return 6371.0088 * Math.atan2(Math.hypot(...cross), a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!)
  }
  let found = 0
  for (const [at, [lat, lng]] of numbers.entries()) {
    const radius = [5, 300, 2_000, 9_000, 20_100][at % 5]!
    const right = venues.filter((venue) => apart(vector(lat, lng), vector(venue.lat, venue.lng)) <= radius)
    const ids = finish(places.near(undefined, lat, lng, radius))
    t.same(
      ids,
      right.map(({ id }) => id),
    )
    found += ids.length
  }
  t.ok(found > numbers.length, `${found} found in all`)
})

t.test('a place is near across the meridian where the days change, and around a pole', async (t) => {
  const { store, editor } = await openRecords(t)
  const add = async (lat: number, lng: number): Promise<number> =>
    (await must(editor.create('venue', here(lat, lng)))).id
  const [east, west, north, beyond] = [
    await add(-17, 179.99),
    await add(-17, -179.99),
    await add(89.97, 10),
    await add(89.97, -170),
  ]
  const places = openVenueLocations(store.db, store.changes)
  const near = (lat: number, lng: number, radius: number) => finish(places.near(undefined, lat, lng, radius))
  t.same(near(-17, 180, 2), [east, west])
  t.same(near(-17, -180, 2), [east, west])
  t.same(near(-17, 179.99, 1), [east])
  t.same(near(-17, -179.99, 2.2), [east, west])
  t.same(near(89.97, 10, 6), [north])
  t.same(near(89.97, 10, 7), [north, beyond])
  t.same(near(90, 0, 4), [north, beyond])
})
