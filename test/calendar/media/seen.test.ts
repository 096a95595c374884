import { type SQL, sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { readablePictures } from '../../../src/calendar/records/media.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { pictureOf } from '../hidden.ts'

const ASKERS = ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'administrator'] as const

/** The pictures that a caller is shown, in the list and one by one. */
async function shownTo(t: Test, api: Api, asker: (typeof ASKERS)[number], all: number[]) {
  const { body } = await api[asker].get('/media?per_page=50')
  const listed: number[] = body.media.map(({ id }: { id: number }) => id).reverse()
  t.equal(body.total, listed.length)
  const single: number[] = []
  for (const id of all) {
    const answer = await api[asker].get(`/media/${id}`)
    if (answer.status === 200) single.push(id)
    else t.equal(refusal(answer), '404 media-not-found', 'as if it did not exist')
  }
  t.same(single, listed, `${asker} reads what is listed`)
  return listed
}

t.test('pictures are shown to those who may read a record that has them (R19)', async (t) => {
  const api = await build(t)
  const { editor, contributor, author, clock } = api
  const make = async (path: string, least: object, client = editor) => {
    const image = await pictureOf(api, `picture-${path.slice(1)}-${clock.now++}`)
    // uploads of an author, whom records of others do not concern
    await must(client.post(path, { ...least, image }))
    return image
  }
  const [open, venue, organizer] = [
    await make('/events', { ...EVENT, hide_from_listings: true }),
    await make('/venues', { venue: 'Hall' }),
    await make('/organizers', { organizer: 'Troupe' }),
  ]
  const twice = await make('/events', EVENT)
  await must(editor.post('/events', { ...EVENT, image: twice }))
  await must(editor.post('/events', { ...EVENT, image: twice, status: 'draft' }))
  const hidden: number[] = []
  for (const status of ['draft', 'pending', 'private', 'trash'])
    for (const [path, least] of [
      ['/events', EVENT],
      ['/venues', { venue: status }],
      ['/organizers', { organizer: status }],
    ] as const)
      hidden.push(await make(path, { ...least, status }))
  hidden.push(await make('/events', { ...EVENT, password: 'sesame' }))
  hidden.push(await pictureOf(api, 'of-none'))
  const later = await make('/events', { ...EVENT, status: 'future', date: '2026-12-30 10:00:00' })
  hidden.push(later)
  const shown = [open, venue, organizer, twice]
  const all = [...shown, ...hidden]
  for (const asker of ['anonymous', 'subscriber', 'contributor'] as const)
    t.same(await shownTo(t, api, asker, all), shown, asker)
  for (const asker of ['author', 'editor', 'administrator'] as const)
    t.same(await shownTo(t, api, asker, all), all, `${asker} uploaded them, or sees all`)

  // own records, with pictures of others
  const { media } = api.app.store
  const own = async (status: string, password = '') => {
    const loose = (await media.files.claim([`own-${status}${password}.png`]))!
    const picture = { file: `own-${status}${password}.png`, mime_type: 'image/png', extension: 'png' }
    const sizes = { width: 1, height: 1, filesize: 1, sizes: {}, origin_url: null, loose }
    const id = await media.create({ ...picture, ...sizes }, { ...api.credentials.editor, role: 'editor' })
    const given = { ...EVENT, image: id, status, password, author: api.credentials.contributor.id }
    await must(editor.post('/events', given))
    return id
  }
  const readable = [await own('draft'), await own('draft', 'sesame')]
  const closed = [await own('publish', 'sesame'), await own('trash')]
  t.same(await shownTo(t, api, 'contributor', [...all, ...readable, ...closed]), [...shown, ...readable])

  clock.now = Date.parse('2026-12-31T00:00:00Z')
  t.same(await shownTo(t, api, 'anonymous', all), [...shown, later], 'at its time')

  const draft = await must(contributor.post('/events', { ...EVENT, status: 'draft' }))
  const take = (image: number | string) => contributor.patch(`/events/${draft.id}`, { image })
  t.equal(
    refusal(await take(hidden[0]!)),
    '400 rest_invalid_param image',
    'nobody takes what they do not see',
  )
  t.equal(
    refusal(await take('https://host.example/a.png')),
    '400 rest_invalid_param image',
    'nor what is not here',
  )
  t.equal((await take(shown[0]!)).status, 200)
  t.equal((await take(readable[0]!)).status, 200)
  t.equal((await author.get(`/media?per_page=5&page=2`)).body.media.length, 5)
})

t.test('what becomes hidden is no longer listed, also from what was kept', async (t) => {
  const api = await build(t, { fresh: true })
  const { editor, anonymous } = api
  const image = await pictureOf(api, 'poster')
  const { id } = await must(editor.post('/events', { ...EVENT, image }))
  const total = async () => {
    for (let time = 0; time < 2; time++) await anonymous.get('/media')
    return (await anonymous.get('/media')).body.total
  }
  t.equal(await total(), 1)
  for (const [change, expected] of [
    [{ status: 'draft' }, 0],
    [{ status: 'publish' }, 1],
    [{ password: 'sesame' }, 0],
    [{ password: '' }, 1],
    [{ image: '' }, 0],
    [{ image }, 1],
  ] as const) {
    await must(editor.patch(`/events/${id}`, change))
    t.equal(await total(), expected, JSON.stringify(change))
  }
  await must(editor.delete(`/events/${id}`))
  t.equal(await total(), 0)
})

t.test('the pictures that everybody sees are read from an index of their own', async (t) => {
  const { app } = await build(t)
  const { db } = app.store
  const planOf = (query: SQL) =>
    db.read.all<{ detail: string }>(sql`explain query plan ${query}`).map(({ detail }) => detail)
  const seen = readablePictures(undefined)
  const read = 'SEARCH posts USING COVERING INDEX posts_shown_image (image_id>?)'
  t.same(planOf(sql`${seen} order by 1 desc limit 12`), [read], 'it sorts nothing')
  t.match(planOf(sql`select count(*) from (${seen})`), [/CO-ROUTINE/, read, /SCAN/])
})
