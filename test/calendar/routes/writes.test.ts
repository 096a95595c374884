import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, ROOT } from '../../support/app.ts'
import { KINDS } from '../../support/given.ts'

for (const [plural, name, least, ways] of KINDS)
  t.test(`${plural} are created with 201, and changed in part by POST, PUT and PATCH`, async (t) => {
    const { editor, anonymous } = await build(t)
    const sent = { ...least, description: 'x', 'naïve name': 1 }
    const { status, headers, body } = await editor.post(`/${plural}`, sent)
    t.equal(status, 201)
    t.equal(headers.location, `http://calendar.test${ROOT}/${plural}/${body.id}`)
    t.equal(headers['x-ignored-fields'], 'na%C3%AFve%20name')
    const other = await must(editor.post(`/${plural}`, { ...least, [name]: 'Other' }))

    for (const by of ways) {
      const path = by === 'id' ? `/${plural}/${body.id}` : `/${plural}/by-slug/${body.slug}`
      // the path says which record is meant, whatever the query or the body say
      const odd = `${path}?id=${other.id}`
      for (const method of ['post', 'put', 'patch'] as const) {
        const change = { id: other.id, [name]: `${method} ${by}` }
        const changed = await editor[method](odd, change)
        t.strictSame([changed.status, changed.body], [200, { ...body, [name]: change[name] }])
      }
      const { json_ld, ...read } = await must(anonymous.get(`${odd}&slug=${other.slug}`))
      t.strictSame(read, { ...body, [name]: `patch ${by}` }, 'it reads as it was answered')
    }
  })
