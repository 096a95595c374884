import { sql } from 'drizzle-orm'
import t from 'tap'
import { build, EVENT } from './support/app.ts'
import { must, shown } from './support/events.ts'

t.test('few events among many are listed as among few', async (t) => {
  const lists: string[][] = []
  for (const others of [0, 100_000]) {
    const { app, editor, anonymous } = await build(t)
    // IDs say how many there may be
    await app.store.db.write(async (tx) =>
      tx.run(sql`insert into sqlite_sequence (name, seq) values ('posts', ${others})`),
    )
    const hall = await must(editor.post('/venues', { venue: 'Hall', geo_lat: 41, geo_lng: 2 }))
    const barn = await must(editor.post('/venues', { venue: 'Barn' }))
    for (let at = 1; at <= 12; at++)
      await must(
        editor.post('/events', {
          ...EVENT,
          title: `E${at}`,
          description: at % 2 ? 'opera' : 'jazz',
          start_date: `2027-01-${String(at).padStart(2, '0')} 18:00:00`,
          end_date: `2027-01-${String(at + (at % 5)).padStart(2, '0')} 20:00:00`,
          venue: at % 3 ? hall.id : barn.id,
          tags: at < 9 ? ['early'] : ['late', 'long'],
          featured: at % 4 === 0,
        }),
      )
    const seen: string[] = []
    const see = async () => {
      for (const query of [
        'tags=early',
        'tags=early&featured=true',
        'tags=late&search=opera',
        'tags=late&search=-opera',
        'search=opera&page=2&per_page=4',
        `tags=late&venue=${hall.id}`,
        `venue=${hall.id},${barn.id}&tags=early,late`,
        `venue=${barn.id}&geoloc=true`,
        `tags=early&geoloc=true`,
        `tags=early&geoloc=false`,
        `venue=${hall.id}&geoloc_lat=41&geoloc_lng=2`,
        `venue=${barn.id}&geoloc_lat=41&geoloc_lng=2`,
        'tags=early&ends_after=2027-01-05T12:00:00&strict_dates=true',
        'tags=early&starts_after=2027-01-03T18:00:00&ends_before=2027-01-09T20:00:00&strict_dates=true',
        'search=jazz&ends_before=2027-01-07',
      ])
        seen.push(`${query.replace(/venue=[\d,]+/, '')}: ${shown(await anonymous.get(`/events?${query}`))}`)
    }
    await see()
    const { events } = (await editor.get('/events?tags=early&per_page=2')).body
    await must(editor.patch(`/events/${events[0].id}`, { tags: ['late'], description: 'opera jazz' }))
    await must(editor.delete(`/events/${events[1].id}`))
    await see()
    lists.push(seen)
  }
  t.strictSame(lists[1], lists[0])
  t.match(lists[0], ['tags=early: E1 E2 E3 E4 E5 E6 E7 E8', 'tags=early&featured=true: E4 E8'])
})
