import sharp from 'sharp'
import t from 'tap'
import { refusal } from './support/answers.ts'
import { build } from './support/app.ts'
import { must } from './support/events.ts'

t.test('an image is deleted by who uploaded it, and by editors', async (t) => {
  const api = await build(t)
  const upload = async (who: 'author' | 'editor'): Promise<number> => {
    const picture = sharp({ create: { width: 20, height: 10, channels: 3, background: 'navy' } })
    const headers = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="blue.png"' }
    return (await must(api[who].post('/media', await picture.png().toBuffer(), { headers }))).id
  }
  const theirs = await upload('editor')
  const before = await api.fingerprint()
  for (const [who, expected] of [
    ['anonymous', '401 rest_forbidden'],
    ['subscriber', '403 rest_forbidden'],
    ['contributor', '403 rest_forbidden'],
    ['author', '403 rest_forbidden'],
  ] as const)
    t.equal(refusal(await api[who].delete(`/media/${theirs}`)), expected, who)
  t.equal(await api.fingerprint(), before)
  t.equal((await api.author.delete(`/media/${await upload('author')}`)).status, 200)
  t.equal((await api.editor.delete(`/media/${await upload('author')}`)).status, 200)
  t.equal((await api.administrator.delete(`/media/${theirs}`)).status, 200)
  t.equal(refusal(await api.editor.delete(`/media/${theirs}`)), '404 media-not-found')
})
