/** The series that each program makes, changes with all of its dates, lists and deletes. */
const BODY = `const body = {
  title: 'Choir',
  start_date: '2027-05-11 18:00:00',
  end_date: '2027-05-11 19:30:00',
  recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=4' },
}
`
const TITLES = `list.events.map(({ title }) => title).join()`
const SHOWN = `all.recurrence_id, ${TITLES}`

/** Programs by the generators of docs/sdk.md, after the lines of the page that set a client up. */
const PROGRAMS: Record<string, string> = {
  'openapi-typescript and openapi-fetch': `${BODY}
const { data: first } = await POST('/events', { body })
const path = { id: first!.id }
const params = { path, query: { apply_to: 'all' as const } }
const { data: all } = await PATCH('/events/{id}', { params, body: { title: 'Chorus' } })
const { data: list } = await GET('/events', { params: { query: { series: all!.series } } })
await DELETE('/events/{id}', { params: { path, query: { apply_to: 'all', force: true } } })
console.log(all!.recurrence_id, list!.events.map(({ title }) => title).join())
`,
  '@hey-api/openapi-ts': `${BODY}
const { data: first } = await createEvent({ body, throwOnError: true })
const path = { id: first.id }
const { data: all } = await updateEvent({ path, query: { apply_to: 'all' }, body: { title: 'Chorus' }, throwOnError: true })
const { data: list } = await listEvents({ query: { series: all.series }, throwOnError: true })
await deleteEvent({ path, query: { apply_to: 'all', force: true }, throwOnError: true })
console.log(${SHOWN})
`,
  orval: `${BODY}
const made = await createEvent(body)
if (made.status !== 201) throw new Error(made.data.message)
const { id } = made.data
const changed = await updateEvent(id, { title: 'Chorus' }, { apply_to: 'all' })
if (changed.status !== 200) throw new Error(changed.data.message)
const all = changed.data
const listed = await listEvents({ series: all.series })
if (listed.status !== 200) throw new Error('not listed')
const list = listed.data
await deleteEvent(id, { apply_to: 'all', force: true })
console.log(${SHOWN})
`,
  kubb: `${BODY}
const { data: first } = await createEvent(body)
const { data: all } = await updateEvent(first.id, { title: 'Chorus' }, { apply_to: 'all' })
const { data: list } = await listEvents({ series: all.series })
await deleteEvent(first.id, { apply_to: 'all', force: true })
console.log(${SHOWN})
`,
  oazapfts: `${BODY}
const made = await createEvent(body)
if (made.status !== 201) throw new Error(made.data.message)
const { id } = made.data
const changed = await updateEvent(id, { title: 'Chorus' }, { applyTo: 'all' })
if (changed.status !== 200) throw new Error('not changed')
const all = changed.data
const listed = await listEvents({ series: all.series })
if (listed.status !== 200) throw new Error('not listed')
const list = listed.data
await deleteEvent(id, { applyTo: 'all', force: true })
console.log(${SHOWN})
`,
  'openapi-zod-client': `${BODY}
const first = await api.createEvent(body)
const params = { id: first.id }
const all = await api.updateEvent({ title: 'Chorus' }, { params, queries: { apply_to: 'all' } })
const list = await api.listEvents({ queries: { series: all.series } })
await api.deleteEvent(undefined, { params, queries: { apply_to: 'all', force: true } })
console.log(${SHOWN})
`,
  'swagger-typescript-api': `${BODY}
const { data: first } = await api.events.createEvent(body)
const { data: all } = await api.events.updateEvent(first.id, { title: 'Chorus' }, { apply_to: 'all' })
const { data: list } = await api.events.listEvents({ series: all.series })
await api.events.deleteEvent(first.id, { apply_to: 'all', force: true })
console.log(${SHOWN})
`,
  'openapi-typescript-codegen': `${BODY}
const { id } = await EventsService.createEvent({ requestBody: body })
const all = await EventsService.updateEvent({ id, applyTo: 'all', requestBody: { title: 'Chorus' } })
const list = await EventsService.listEvents({ series: all.series })
await EventsService.deleteEvent({ id, applyTo: 'all', force: true })
console.log(${SHOWN})
`,
  'openapi-client-axios': `${BODY}
const { data: first } = await client.createEvent(null, body)
const { data: all } = await client.updateEvent({ id: first.id, apply_to: 'all' }, { title: 'Chorus' })
const { data: list } = await client.listEvents({ series: all.series })
await client.deleteEvent({ id: first.id, apply_to: 'all', force: true })
console.log(${SHOWN})
`,
  feTS: `${BODY}
const made = await client['/events'].post({ json: body })
if (made.status !== 201) throw new Error(made.statusText)
const params = { id: (await made.json()).id }
const query = { apply_to: 'all' as const }
const changed = await client['/events/{id}'].patch({ params, query, json: { title: 'Chorus' } })
if (changed.status !== 200) throw new Error(changed.statusText)
const all = await changed.json()
const listed = await client['/events'].get({ query: { series: all.series } })
if (listed.status !== 200) throw new Error(listed.statusText)
const list = await listed.json()
await client['/events/{id}'].delete({ params, query: { apply_to: 'all', force: true } })
console.log(${SHOWN})
`,
  '@openapi-codegen': `${BODY}
const first = await createEvent({ body })
const pathParams = { id: first.id }
const all = await updateEvent({ pathParams, queryParams: { apply_to: 'all' }, body: { title: 'Chorus' } })
const list = await listEvents({ queryParams: { series: all.series } })
await deleteEvent({ pathParams, queryParams: { apply_to: 'all', force: true } })
console.log(${SHOWN})
`,
  'RTK Query': `${BODY}
const first = await dispatch(createEvent.initiate({ eventInput: body })).unwrap()
const own = { id: first.id, applyTo: 'all' as const }
const all = await dispatch(updateEvent.initiate({ ...own, eventUpdate: { title: 'Chorus' } })).unwrap()
const list = await dispatch(listEvents.initiate({ series: all.series })).unwrap()
await dispatch(deleteEvent.initiate({ ...own, force: true }))
console.log(${SHOWN})
`,
  'typed-openapi': `${BODY}
const first = await api.post('/events', { query, header, body })
const own = { path: { id: first.id }, header, query: { apply_to: 'all' as const } }
const all = await api.patch('/events/{id}', { ...own, body: { title: 'Chorus' } })
const list = await api.get('/events', { header, query: { series: all.series } })
await api.delete('/events/{id}', { ...own, query: { ...own.query, force: true } })
console.log(${SHOWN})
`,
  'swagger-codegen': `first = events.create_event(almanac.EventInput(
    title='Choir',
    start_date='2027-05-11 18:00:00',
    end_date='2027-05-11 19:30:00',
    recurrence={'rrule': 'FREQ=WEEKLY;BYDAY=TU;COUNT=4'},
))
every = events.update_event(almanac.EventUpdate(title='Chorus'), first.id, apply_to='all')
found = events.list_events(series=every.series).events
events.delete_event(first.id, apply_to='all', force=True)
print(every.recurrence_id, ','.join(each.title for each in found))
`,
}

/** What each program prints. */
export const SERIES_SHOWN = '2027-05-11 18:00:00 Chorus,Chorus,Chorus,Chorus'

/** A program about series for a generator: the page's program up to its first request, then another one. */
export function seriesProgram(generator: string, page: string): string {
  const at = page.search(/^(const file = new File|const form = new FormData|picture = )/m)
  return page.slice(0, at) + PROGRAMS[generator]
}
