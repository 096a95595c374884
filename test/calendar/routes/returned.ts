import type { Test } from 'tap'
import { type Answer, type Api, build } from '../../support/app.ts'
import { fillWithDemo } from '../../support/demo.ts'

const LISTS = ['events', 'venues', 'organizers', 'categories', 'tags'] as const
const ZONE = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' }

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the tests are about
type Body = any

/** Everything of a record but the time of its last change, from which the offers of a draft are valid. */
function lasting({ modified, modified_utc, ...rest }: Body) {
  if (rest.date_utc?.startsWith('0000') && rest.json_ld.offers) rest.json_ld.offers.validFrom = ''
  return rest
}

const METHODS = ['put', 'patch', 'post'] as const
/** A way in which a record is sent back: by a method, as a list or a single read shows it, by ID or by slug. */
type Way = { method: (typeof METHODS)[number]; as: 'listed' | 'single'; by: 'id' | 'slug' }
/** All ways. */
export const WAYS: Way[] = METHODS.flatMap((method) => [
  { method, as: 'listed', by: 'id' },
  { method, as: 'single', by: 'id' },
  { method, as: 'single', by: 'slug' },
])

/** Sends a record back as it was read; fails where that is refused, named or changes anything. */
async function sendBack(t: Test, api: Api, path: string, method: Way['method'], listed?: Body) {
  const before = (await api.editor.get(path)).body
  const shown = listed ?? before
  api.clock.now += 60_000
  const { status, body, headers }: Answer = await api.editor[method](path, shown)
  const what = `${method} ${path}`
  if (status !== 200) return t.fail(`${what}: ${status}`, { body, shown })
  if (headers['x-ignored-fields']) return t.fail(`${what}: ${headers['x-ignored-fields']} ignored`, { shown })
  t.same(lasting((await api.editor.get(path)).body), lasting(before), what)
}

/** Sends every record of the demo back as it was read, in the ways that are given for it by its number. */
export async function sendDemoBack(t: Test, waysOf: (count: number) => Way[]) {
  const api = await build(t, { env: ZONE })
  await fillWithDemo(api)
  const rows = async () =>
    JSON.parse(await api.fingerprint()).filter(([table]: [string]) => table !== 'changes')
  const before = await rows()
  for (const kind of LISTS) {
    const filters = kind === 'events' ? '&start_date=2020-01-01&end_date=2040-01-01' : '&hide_empty=false'
    let count = 0
    for (let page = 1, pages = 1; page <= pages; page++) {
      const list = (await api.editor.get(`/${kind}?per_page=50&page=${page}${filters}`)).body
      pages = list.total_pages
      for (const item of list[kind])
        for (const { method, as, by } of waysOf(count++)) {
          const hasSlug = item.slug && !kind.match(/cat|tag/)
          const path = `/${kind}/${by === 'slug' && hasSlug ? `by-slug/${item.slug}` : item.id}`
          await sendBack(t, api, path, method, as === 'listed' ? item : undefined)
        }
    }
    t.ok(count > 7, `${count} ${kind}`)
  }
  t.same(await rows(), before, 'no record was made')
}
