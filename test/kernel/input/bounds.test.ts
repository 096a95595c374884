import t from 'tap'
import { excessOf, findExcess, parseQuery } from '../../../src/kernel/input/query.ts'
import { build } from '../../support/app.ts'

const FORM = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
const repeat = (text: string, times: number) => Array(times).fill(text).join('&')

t.test('200 parameters with four brackets each are read, and no more', (t) => {
  for (const text of [
    '',
    'a=1',
    repeat('a[]=1', 200),
    'a[b][c][d][e]=1',
    `a=${'['.repeat(1_000)}`,
    `a=1&b=${'%5b'.repeat(1_000)}&c`,
  ]) {
    t.equal(findExcess(text), undefined, text.slice(0, 40))
    t.equal(excessOf(parseQuery(text)), undefined)
  }
  for (const [text, status, message] of [
    [repeat('a[]=1', 201), 400, /too many parameters. .* may have 200/],
    ['&'.repeat(2 ** 20), 400, /too many parameters/],
    ['a[b][b][b][b][b]=1', 400, /^Invalid parameter. a: must not have more than 4 brackets\.$/],
    [`x=1&a${'%5Bb%5D'.repeat(4_000)}=1`, 400, /parameter. a: must not/],
    [`${'n'.repeat(1_000)}${'['.repeat(4_000)}`, 400, /parameter. n{40}: must not/],
    ['['.repeat(4_000), 400, /parameter. \[{40}: must not/],
  ] as const) {
    const excess = findExcess(text)
    t.match(excess, { status, message }, text.slice(0, 40))
    t.match(excessOf(parseQuery(text)), { status, message })
    t.same(Object.keys(parseQuery(text)), [], 'nothing of it is read')
  }
  t.end()
})

t.test('addresses with too many or too deep parameters are 400 on every route', async (t) => {
  const { anonymous, editor } = await build(t)
  for (const path of ['/events', '/events/1', '/changes', '/events.ics', '/events/by-slug/x'])
    for (const [query, code] of [
      [repeat('a[]=1', 2_300), 'rest_bad_request'],
      [`a${'[b]'.repeat(4_000)}=1`, 'rest_invalid_param'],
    ] as const) {
      const { status, body } = await anonymous.get(`${path}?${query}`)
      t.match({ status, body }, { status: 400, body: { code } }, path)
    }
  const { status } = await editor.post(`/venues?${repeat('a=1', 201)}`, { venue: 'Hall' })
  t.equal(status, 400)
  t.equal((await editor.get('/venues')).body.venues.length, 0)
})

t.test('pages say so as pages', async (t) => {
  const { app } = await build(t)
  const { statusCode, headers, body } = await app.inject({
    url: `/events/?${repeat('a=1', 201)}`,
    headers: { accept: 'text/html' },
  })
  t.equal(statusCode, 400)
  t.match(headers['content-type'], /^text\/html/)
  t.match(body, /<h1/)
})

t.test('forms with too many or too deep fields are 400, and nothing is written', async (t) => {
  const { editor } = await build(t)
  const parts = (text: string) =>
    text
      .split('&')
      .map((field) => field.split('='))
      .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('')
  const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=b' } }
  for (const [text, code] of [
    [`venue=Hall&${repeat('a[]=1', 200)}`, 'rest_bad_request'],
    [`venue=Hall&a${'[b]'.repeat(5)}=1`, 'rest_invalid_param'],
  ] as const) {
    t.match(await editor.post('/venues', text, FORM), { status: 400, body: { code } })
    if (code === 'rest_invalid_param')
      t.match(await editor.post('/venues', `${parts(text)}--b--\r\n`, multipart), {
        status: 400,
        body: { code },
      })
  }
  t.equal((await editor.get('/venues')).body.venues.length, 0)
  const right = `venue=Hall&${repeat('a[]=1', 199)}`
  t.equal((await editor.post('/venues', right, FORM)).status, 201)
})
