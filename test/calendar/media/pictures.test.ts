import { mkdirSync, rmSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { draw, filesOf, plainName, raw } from '../../support/pictures.ts'
import { listenOn } from '../../support/ports.ts'

const LOCAL = { DOWNLOAD_ALLOW: '127.0.0.1' }
const KINDS = [
  { path: '/events', least: EVENT },
  { path: '/venues', least: { venue: 'Hall' } },
  { path: '/organizers', least: { organizer: 'Club' } },
]

/** A server on this machine that gives what `files` holds by path, and 404 for the rest; it counts what it is asked for. */
async function serve(t: Test, files: Record<string, Buffer | string>) {
  const asked: string[] = []
  const server = http.createServer((request, response) => {
    asked.push(request.url!)
    const file = files[request.url!]
    response.writeHead(file === undefined ? 404 : 200).end(file)
  })
  return { asked, base: `http://127.0.0.1:${await listenOn(t, server)}` }
}

/** Sends a write that must be refused, and leave neither rows nor files. */
async function refused(t: Test, api: Api, write: () => ReturnType<Api['author']['post']>, expected: string) {
  const before = [await api.fingerprint(), filesOf(t)]
  t.equal(refusal(await write()), expected)
  t.same([await api.fingerprint(), filesOf(t)], before, `${expected}: nothing is left behind`)
}

t.test('a record shows the picture of its image, by ID', async (t) => {
  const api = await build(t)
  const { author, contributor } = api
  const media = await must(author.post('/media', await draw(400, 300), raw('p.png')))
  const { thumbnail, medium } = media.sizes
  const image = {
    url: media.url,
    id: media.id,
    extension: 'png',
    width: 400,
    height: 300,
    filesize: media.filesize,
    sizes: { thumbnail, medium },
  }
  for (const { path, least } of KINDS) {
    const made = await must(author.post(path, { ...least, image: String(media.id) }))
    t.strictSame(made.image, image)
    const url = `${path}/${made.id}`
    t.strictSame((await must(author.patch(url, {}))).image, image, 'an update without it keeps it')
    for (const none of ['', null, ...(path === '/events' ? [] : ['0'])]) {
      t.notOk((await must(author.patch(url, { image: none }))).image, `${none} removes it`)
      t.strictSame((await must(author.patch(url, { image: ` ${media.id} ` }))).image, image)
    }
    for (const same of [media.id, { id: media.id }, image])
      t.strictSame((await must(author.patch(url, { image: same }))).image, image, JSON.stringify(same))
    for (const wrong of [
      '999',
      999,
      'p.png',
      'ftp://x.test/p.png',
      '//x.test/p.png',
      { id: 999 },
      ['1'],
      true,
    ])
      await refused(t, api, () => author.patch(url, { image: wrong }), '400 rest_invalid_param image')
  }
  await must(contributor.post('/events', { ...EVENT, image: String(media.id) }))
})

t.test('a picture is downloaded by its URL, and only once', async (t) => {
  const api = await build(t, { env: LOCAL })
  const { author } = api
  const png = await draw(40, 30)
  const { base, asked } = await serve(t, { '/caf%C3%A9.png?w=1': png, '/b.png': png })
  const url = `${base}/caf%C3%A9.png?w=1`
  const event = await must(author.post('/events', { ...EVENT, image: url }))
  t.match(event.image, { id: 1, width: 40, height: 30 })
  t.equal(plainName(event.image.url), 'http://calendar.test/media/2026/11/cafe.png')
  for (const { path, least } of KINDS)
    t.equal((await must(author.post(path, { ...least, image: url }))).image.id, 1, `${path} gets the same`)
  const { image, venue, organizer } = await must(
    author.post('/events', {
      ...EVENT,
      image: `${base}/b.png`,
      venue: { venue: 'New', image: `${base}/b.png` },
      organizer: [{ organizer: 'Band', image: url }, { organizer: 'Band', image: url }, '999999'].slice(0, 2),
    }),
  )
  t.same([image.id, venue.image.id, organizer[0].image.id, organizer.length], [2, 2, 1, 1])
  t.same(asked, ['/caf%C3%A9.png?w=1', '/b.png'])
  t.match(await api.anonymous.get('/media/1'), { body: { author: String(api.credentials.author.id) } })

  await must(author.patch(`/events/${event.id}`, { image: image.url }))
  t.equal(
    (await api.anonymous.get(`/events/${event.id}`)).body.image.id,
    2,
    'our own address is known as well',
  )
  await refused(
    t,
    api,
    () => author.patch(`/events/${event.id}`, { image: 'http://calendar.test/media/%zz.png' }),
    '400 rest_invalid_param image',
  )
})

t.test('a venue of the same name with another picture is another venue', async (t) => {
  const { author } = await build(t, { env: LOCAL })
  const { base } = await serve(t, { '/a.png': await draw(9, 9), '/b.png': await draw(8, 8) })
  const venue = async (image?: string) =>
    (await must(author.post('/events', { ...EVENT, venue: { venue: 'Hall', ...(image && { image }) } })))
      .venue.id
  const first = await venue(`${base}/a.png`)
  t.equal(await venue(), first)
  t.equal(await venue(`${base}/a.png`), first)
  t.equal(await venue('1'), first)
  t.not(await venue(`${base}/b.png`), first)
})

t.test('a picture that can not be had refuses the whole write and leaves nothing', async (t) => {
  const api = await build(t, { env: LOCAL })
  const { author, contributor } = api
  const png = await draw(400, 300)
  const files = { '/a.png': png, '/b.png': png, '/text.png': 'a text', '/half.png': png.subarray(0, 200) }
  const { base } = await serve(t, files)
  const a = `${base}/a.png`
  const cases: [input: object, param: string][] = [
    [{ image: `${base}/none.png` }, 'image'],
    [{ image: `${base}/text.png` }, 'image'],
    [{ image: `${base}/half.png` }, 'image'],
    [{ image: 'http://10.1.2.3/a.png' }, 'image'],
    [{ image: 'http://[::1]/a.png' }, 'image'],
    [{ image: a, venue: { venue: 'Hall', image: `${base}/none.png` } }, 'venue'],
    [
      {
        image: a,
        organizer: [
          { organizer: 'A', image: `${base}/b.png` },
          { organizer: 'B', image: `${base}/text.png` },
        ],
      },
      'organizer',
    ],
    [{ image: a, venue: 999 }, 'venue'],
    [{ image: a, author: 999 }, 'author'],
  ]
  for (const [input, param] of cases)
    await refused(
      t,
      api,
      () => author.post('/events', { ...EVENT, ...input }),
      `400 rest_invalid_param ${param}`,
    )
  await refused(
    t,
    api,
    () => author.post('/events', { ...EVENT, image: a, tags: ['New'] }),
    '403 rest_forbidden',
  )
  await refused(
    t,
    api,
    () => author.post('/events', { ...EVENT, organizer: { organizer: 'A', image: a }, tags: ['New'] }),
    '403 rest_forbidden',
  )
  await refused(
    t,
    api,
    () => contributor.post('/events', { ...EVENT, image: a }),
    '400 rest_invalid_param image',
  )
})

t.test('an event whose password can not be taken leaves no picture behind', async (t) => {
  const api = await build(t, { env: LOCAL })
  const { asked, base } = await serve(t, { '/poster.png': await draw(400, 300) })
  const sent = { ...EVENT, image: `${base}/poster.png`, password: 'a\u0000' }
  await refused(t, api, () => api.author.post('/events', sent), '400 rest_invalid_param password')
  t.same(asked, [], 'nor is it downloaded')
})

t.test('what the database or the disk refuses leaves nothing behind', async (t) => {
  const api = await build(t)
  const png = await draw(400, 300)
  await api.app.store.db.write(async (tx) =>
    tx.run(sql`create trigger no_media before insert on media begin select raise(abort, 'no'); end`),
  )
  await refused(t, api, () => api.author.post('/media', png, raw('a.png')), '500 internal_server_error')

  // a folder so deep that no path of a picture in it is short enough
  let deep = t.testdirName
  for (let length = 0; length < 5000; length += 20) {
    const deeper = join(deep, 'd'.repeat(19))
    try {
      mkdirSync(join(deeper, '2026/11'), { recursive: true })
      deep = deeper
    } catch {
      break
    }
  }
  const cramped = await build(t, { env: { MEDIA_DIR: deep } })
  const answer = await cramped.author.post('/media', png, raw(`${'x'.repeat(80)}.png`))
  t.match(answer, {
    status: 500,
    body: { code: 'internal_server_error', data: { status: 500, request_id: String } },
  })
  t.notMatch(answer.text, /ENAMETOOLONG|dddd/)
  t.equal((await cramped.anonymous.get('/media')).body.total, 0)
  rmSync(join(t.testdirName, 'd'.repeat(19)), { recursive: true })
})
