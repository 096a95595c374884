import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw, filesOf, raw } from '../../support/pictures.ts'
import { faults } from '../../support/validation.ts'

/** A picture of which the left half is red and the right half blue. */
const halves = async () =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: '#00f' } })
    .composite([
      {
        input: await sharp({ create: { width: 200, height: 300, channels: 3, background: '#f00' } })
          .png()
          .toBuffer(),
        left: 0,
        top: 0,
      },
    ])
    .png()
    .toBuffer()

const LEFT = { x: 0, y: 0, width: 0.5, height: 1 }

t.test('a part of a picture is a new picture, and the whole one stays', async (t) => {
  const api = await build(t)
  const whole = await must(api.editor.post('/media', await halves(), raw('stage.png')))
  await must(api.editor.patch(`/media/${whole.id}`, { alt_texts: { en: 'Two halves' } }))
  const { status, body, headers } = await api.editor.post(`/media/${whole.id}/crop`, LEFT)
  t.equal(status, 201)
  t.equal(headers.location, `http://calendar.test${ROOT}/media/${body.id}`)
  t.same(faults('Media', body), [])
  t.match(body, {
    ...{ width: 200, height: 300, mime_type: 'image/png', alt_texts: { en: 'Two halves' } },
    author: String(api.credentials.editor.id),
    url: /\/stage-[0-9a-f]{20}\.png$/,
    sizes: { thumbnail: { width: 150, height: 150 }, medium: undefined },
  })
  const pixels = async (url: string) => {
    const { rawPayload } = await api.app.inject(new URL(url).pathname)
    const { data, info } = await sharp(rawPayload).raw().toBuffer({ resolveWithObject: true })
    const at = (x: number, y: number) => [
      ...data.subarray((y * info.width + x) * info.channels).subarray(0, 3),
    ]
    return { ...info, at }
  }
  const part = await pixels(body.url)
  t.same([part.width, part.height, part.at(0, 0), part.at(199, 299)], [200, 300, [255, 0, 0], [255, 0, 0]])
  const small = await pixels(body.sizes.thumbnail.url)
  t.same(small.at(149, 75), [255, 0, 0])
  t.match((await api.editor.get(`/media/${whole.id}`)).body, { width: 400, url: whole.url })

  const above = await must(
    api.editor.post(`/media/${whole.id}/crop`, { ...LEFT, width: 1, height: 0.5, turns: 1 }),
  )
  const shown = await pixels(above.url)
  t.same([shown.width, shown.height, shown.at(0, 0)], [300, 200, [255, 0, 0]], 'what was left is above')
  const aside = await must(api.editor.post(`/media/${whole.id}/crop`, { turns: 3 }))
  t.match(aside, { width: 300, height: 400 })
  const least = await must(
    api.editor.post(`/media/${whole.id}/crop`, { x: 1, y: 1, width: 0.0001, height: 0.0001, turns: null }),
  )
  t.match(least, { width: 1, height: 1 })
})

t.test('of an animation the part of its first frame is left', async (t) => {
  const api = await build(t)
  const frames = await sharp({
    create: { width: 20, height: 40, channels: 3, background: '#0f0', pageHeight: 20 },
  })
    .gif()
    .toBuffer()
  const { id } = await must(api.editor.post('/media', frames, raw('moves.gif', 'image/gif')))
  t.match(await must(api.editor.post(`/media/${id}/crop`, LEFT)), {
    width: 10,
    height: 20,
    mime_type: 'image/gif',
  })
})

t.test('a frame that is none is refused, and so is who may not upload', async (t) => {
  const api = await build(t)
  const { id } = await must(api.editor.post('/media', await draw(20, 20), raw('stage.png')))
  const before = await api.fingerprint()
  const cases: [object, object][] = [
    [{ ...LEFT, x: 2 }, { data: { params: { x: /from 0 to 1/ } } }],
    [{ ...LEFT, width: 0 }, { data: { params: { width: /number above 0 to 1/ } } }],
    [{ ...LEFT, turns: 4 }, { data: { params: { turns: /from 0 to 3/ } } }],
  ]
  for (const [body, says] of cases) {
    const answer = await api.editor.post(`/media/${id}/crop`, body)
    t.equal(answer.status, 400, JSON.stringify(body))
    t.match(answer.body, says)
  }
  t.equal((await api.anonymous.post(`/media/${id}/crop`, LEFT)).status, 401)
  t.equal((await api.contributor.post(`/media/${id}/crop`, LEFT)).status, 403)
  t.equal((await api.author.post(`/media/${id}/crop`, LEFT)).status, 404, 'what they do not see')
  t.equal((await api.editor.post('/media/999/crop', LEFT)).status, 404)
  t.equal(await api.fingerprint(), before)
  await must(api.editor.post('/events', { ...EVENT, image: id }))
  const own = await must(api.author.post(`/media/${id}/crop`, LEFT))
  t.equal(own.author, String(api.credentials.author.id), 'a part of what others uploaded is their own')
})

t.test('a picture whose file is gone or damaged has no parts', async (t) => {
  const api = await build(t, { fresh: true })
  const { id } = await must(api.editor.post('/media', await draw(20, 20), raw('stage.png')))
  const file = join(t.testdirName, 'media', filesOf(t)[0]!)
  writeFileSync(file, 'no picture')
  t.equal((await api.editor.post(`/media/${id}/crop`, LEFT)).status, 404)
  unlinkSync(file)
  const { status, body } = await api.editor.post(`/media/${id}/crop`, LEFT)
  t.same([status, body.code], [404, 'media-not-found'])
})
