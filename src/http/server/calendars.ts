import fp from 'fastify-plugin'
import { JSON_ANSWER } from '../output/content-type.ts'
import { isFormatted } from '../output/negotiation.ts'
import { mountOf } from './mounts.ts'

/** Longer headers are refused by some clients. */
const LONGEST = 1_500
/** Parameters that do not belong to the address of a calendar. */
const OTHERS = ['page', 'per_page', '_fields', 'password']

/** The address by which programs subscribe to a calendar. `url` is below the mount. */
function calendarOf(root: string, url: string): string {
  const { pathname, searchParams } = new URL(url, root)
  for (const name of OTHERS) searchParams.delete(name)
  const query = searchParams.size > 0 ? `?${searchParams}` : ''
  return `${root.replace(/^https?:/, 'webcal:')}${pathname.replace(/\/$/, '')}.ics${query}`
}

/** Links JSON responses to the calendar with the same events, in a header: the bodies are those that clients know. */
export const calendars = fp<{ base: string }>(
  async (app, { base }) => {
    app.addHook('onSend', async (request, reply) => {
      if (!isFormatted(request.raw) || reply.getHeader('content-type') !== JSON_ANSWER) return
      if (reply.statusCode !== 200) return
      const url = calendarOf(base + mountOf(request)!.path, request.url)
      const link = `<${url}>; rel="alternate"; type="text/calendar"`
      const known = reply.getHeader('link')
      if (link.length <= LONGEST) reply.header('link', known === undefined ? link : `${known}, ${link}`)
    })
  },
  { name: 'calendars', dependencies: ['headers'] },
)
