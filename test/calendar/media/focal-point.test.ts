import t from 'tap'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { visit } from '../../support/pages.ts'
import { draw, raw } from '../../support/pictures.ts'
import { faults } from '../../support/validation.ts'

const CENTRE = { x: 0.5, y: 0.5 }

const upload = async (api: Api, who: 'author' | 'editor' = 'author') =>
  must(api[who].post('/media', await draw(20, 20), raw('stage.png')))

t.test('a picture has its focal point in the centre until one is set', async (t) => {
  const api = await build(t)
  const made = await upload(api)
  t.strictSame(made.focal_point, CENTRE)
  const path = `/media/${made.id}`
  const set = async (focal_point: unknown) =>
    (await must(api.author.patch(path, { focal_point }))).focal_point as unknown
  t.strictSame(await set({ y: 1, x: 0.25 }), { x: 0.25, y: 1 })
  const { body } = await api.author.patch(path, { alt_texts: { en: 'A band' } })
  t.strictSame(body, { ...made, alt_texts: { en: 'A band' }, focal_point: { x: 0.25, y: 1 } })
  t.same(faults('Media', body), [])
  t.strictSame((await api.author.get(path)).body, body)
  t.strictSame((await api.author.get('/media')).body.media, [body])
  t.strictSame(await set({ x: 0, y: 0.5 }), { x: 0, y: 0.5 })
  t.strictSame(await set({ x: 0.5, y: 0 }), { x: 0.5, y: 0 })
  t.strictSame(await set(null), CENTRE)
  const before = await api.fingerprint()
  t.strictSame(await set(CENTRE), CENTRE)
  t.equal(await api.fingerprint(), before, 'the centre is no point of its own')
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  const sent = await must(api.author.patch(path, 'focal_point[x]=.2&focal_point[y]=0.7', form))
  t.strictSame(sent.focal_point, { x: 0.2, y: 0.7 })
})

t.test('what is no point is refused in clear words, and changes nothing', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const before = await api.fingerprint()
  const cases: [unknown, string][] = [
    ['centre', 'must be an object with x and y, numbers from 0 to 1.'],
    [[0.5, 0.5], 'must be an object with x and y, numbers from 0 to 1.'],
    [{ x: 0.5 }, 'must have both x and y.'],
    [{}, 'must have both x and y.'],
    [{ x: 1.01, y: 0 }, 'x must be a number from 0 to 1.'],
    [{ x: 'left', y: -1 }, 'x must be a number from 0 to 1. y must be a number from 0 to 1.'],
    [{ x: 0, y: null }, 'y must not be null.'],
    [{ x: 0, y: 0, z: 0 }, '"z" is no part of a point, which has x and y.'],
  ]
  for (const [focal_point, says] of cases) {
    const { status, body } = await api.author.patch(`/media/${id}`, { focal_point })
    t.strictSame([status, body.data?.params?.focal_point], [400, says])
  }
  t.equal(await api.fingerprint(), before)
})

t.test('who may set the point of own pictures, and of those of others', async (t) => {
  const api = await build(t)
  const focal_point = { x: 0, y: 1 }
  for (const asker of ['anonymous', ...ROLES] as const) {
    const { id } = await upload(api, 'editor')
    const mayAll = ['editor', 'administrator'].includes(asker)
    const before = await api.fingerprint()
    const { status } = await api[asker].patch(`/media/${id}`, { focal_point })
    t.equal(status, mayAll ? 200 : asker === 'anonymous' ? 401 : 403, asker)
    if (!mayAll) t.equal(await api.fingerprint(), before)
  }
  const { id } = await upload(api)
  const { etag } = (await api.author.get(`/media/${id}`)).headers
  const match = { headers: { 'if-match': etag! } }
  t.equal((await api.author.patch(`/media/${id}`, { focal_point }, match)).status, 200)
  t.equal(
    refusal(await api.editor.patch(`/media/${id}`, { focal_point: null }, match)),
    '412 rest_precondition_failed',
  )
})

t.test('clients that follow hear of a new point, and other documents stay as they are', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const event = await must(api.editor.post('/events', { ...EVENT, image: String(id) }))
  const wordpress = async () =>
    (await api.editor.send({ method: 'GET', url: `/wp-json/wp/v2/media/${id}` })).text
  const shown = [await wordpress(), (await api.anonymous.get(`/events/${event.id}`)).text]
  const { next_sync_token: token } = (await api.anonymous.get('/changes')).body
  await must(api.author.patch(`/media/${id}`, { focal_point: { x: 0, y: 0 } }))
  const { changes } = await must(api.anonymous.get(`/changes?sync_token=${token}`))
  t.match(changes, [{ kind: 'event', id: event.id }])
  t.same([await wordpress(), (await api.anonymous.get(`/events/${event.id}`)).text], shown)
})

t.test('pages keep the point of a picture in sight, and load the rules for it alone', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const DAY = { start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00', featured: true }
  const image = String(id)
  await must(
    api.editor.post('/events', { ...EVENT, ...DAY, slug: 'one', image, venue: { venue: 'Hall', image } }),
  )
  const paths = ['/', '/events/', '/embed/', '/event/one/', '/venue/hall/']
  const pages = async () => Promise.all(paths.map(async (path) => (await visit(api, path)).text))
  const before = await pages()
  const set = async (x: number, y: number) => {
    await must(api.author.patch(`/media/${id}`, { focal_point: { x, y } }))
    return pages()
  }
  t.same(await set(0.51, 0.46), before, 'close to the centre is the centre')
  for (const [at, page] of (await set(0.96, 0.24)).entries()) {
    t.match(page, '<img class="at x100 y20" src="/media/', paths[at]!)
    const [link, sheet] = /<link rel="stylesheet" href="([^"]*focus[^"]*)">\n?/.exec(page)!
    t.equal(
      page.replace(link, '').replaceAll(' class="at x100 y20"', '').replace(/\n/g, ''),
      before[at]!.replace(/\n/g, ''),
    )
    const { text } = await visit(api, sheet!)
    for (const rule of ['.at{object-position:var(--x) var(--y)}', '.x100{--x:100%}', '.y20{--y:20%}'])
      t.ok(text.includes(rule), rule)
    t.ok(text.length < 500)
  }
  t.match(await set(0.5, 0), Array(5).fill('class="at x50 y0"'), 'one side alone')
  t.match(await set(0, 0.5), Array(5).fill('class="at x0 y50"'))
})
