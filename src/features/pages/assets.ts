import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { family } from '../../calendar/resource/service.ts'
import { type Packed, pack, sendPacked } from '../../kernel/output/negotiation.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { fromRoot } from '../../package.ts'

const texts = new Map<string, string>()

/** The text of a file that is a part of the program, as a named function changes it. A process reads and changes each once. */
export function shipped(file: URL, change: (text: string) => string = asItIs): string {
  const key = `${change.name} ${file}`
  const text = texts.get(key) ?? change(readFileSync(file, 'utf8'))
  texts.set(key, text)
  return text
}

const asItIs = (text: string) => text

/** A file that pages load. */
export const assetAt = (name: string) => fromRoot(`src/features/pages/assets/${name}`)

/** Media types of the files that pages load. */
export const FILE_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
}
/** Files for other sites have one name for all versions. */
export const AN_HOUR = 'public, max-age=3600'
/** Files have their hash in their names, and never change. */
const FOREVER = 'public, max-age=31536000, immutable'
/** A script without indentation and without comments that stand in lines of their own. None of its texts goes over several lines. */
export const bareScript = (script: string) =>
  script
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/^\s+/gm, '')

/** A style sheet without comments and white space that browsers do not need. */
export const bare = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{},;>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/(?<=[ :,(])0\.(?=\d)/g, '.')
    .replaceAll(';}', '}')

/** Files below a path of the site, which have their hash in their names and so never change. */
export function openFiles(folder: string) {
  const files = new Map<string, Packed>()
  return {
    /** Adds a file, and returns its path. */
    add(name: string, extension: string, content: string | Buffer): string {
      const packed = pack(content, FILE_TYPES[extension]!, FOREVER)
      const file = `${name}-${packed.etag.slice(1, -1)}${extension}`
      files.set(file, packed)
      return `${folder}/${file}`
    },
    get: (name: string): Packed | undefined => files.get(name),
  }
}

/** The route of such files, which `find` finds by their names. */
export const addFileRoute = (app: FastifyInstance, url: string, find: (name: string) => Packed | undefined) =>
  app.get(`${url}/:name`, { schema: { hide: true } }, (request, reply) => {
    const packed = find((request.params as { name: string }).name)
    if (!packed) throw noRoute()
    return sendPacked(request, reply, packed)
  })

/** The files that pages load, whose names change with their content; and the way from the prefix of the default language. */
export const pageFiles = family('files of pages', async (app) => {
  const { file, front } = app.pages!
  addFileRoute(app, `${SITE}/assets`, file)
  // browsers ask for it where a page names no icon, as a picture that is opened by itself
  app.get(`${SITE}/favicon.ico`, { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').redirect(front.icon, 302),
  )
  const [standard] = front.languages
  for (const rest of ['', '/*'])
    app.get(
      `${SITE}/${standard}${rest}`,
      { schema: { hide: true }, config: { page: 'calendar' } },
      ({ url }, reply) => {
        // one slash, because two would begin another host
        const after = url.slice(`${SITE}/${standard}`.length).replace(/^[/\\]*/, '/')
        return reply.redirect(front.path + after, 301)
      },
    )
})
