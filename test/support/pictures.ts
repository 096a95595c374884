import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import http, { type RequestListener } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Test } from 'tap'
import { openMediaFolder } from '../../src/calendar/media/folder.ts'
import { type DownloadOptions, download, openPictures } from '../../src/calendar/media/pictures.ts'
import type { Lookup } from '../../src/kernel/outbound/requests.ts'
import type { Records } from './store.ts'

/** A picture of these pixels, as the bytes of a file. */
export const draw = (
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' = 'png',
) =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .toFormat(format)
    .toBuffer()

/** Stores a picture of an editor, with its files in a folder; gives its ID. */
export async function upload({ store, clock, callers }: Records, dir: string, bytes: Buffer) {
  const pictures = openPictures(store.media, {
    ...{ folder: openMediaFolder(dir), base: '', clock: () => clock.now },
    download: { allow: [], userAgent: '' },
  })
  return store.media.create(await pictures.upload(bytes, 'image', 'somebody'), callers.editor)
}

/** The files below the MEDIA_DIR of a test's application, sorted. */
export function filesOf(t: Test): string[] {
  const dir = join(t.testdirName, 'media')
  if (!existsSync(dir)) return []
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map((file) => join(file.parentPath, file.name).slice(dir.length + 1)).sort()
}

/** A multipart form as `inject` takes it. A member is a text, a file or a text with its own type. */
export async function multipart(members: [name: string, value: string | File | Blob][]) {
  const form = new FormData()
  for (const [name, value] of members)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value)
  const request = new Request('http://calendar.test', { method: 'POST', body: form })
  const headers = { 'content-type': request.headers.get('content-type')! }
  return { payload: Buffer.from(await request.arrayBuffer()), headers }
}

/** What an upload of raw bytes sends. */
export const raw = (name: string | undefined, type = 'application/octet-stream') => ({
  headers: {
    'content-type': type,
    ...(name !== undefined && { 'content-disposition': `attachment; filename="${name}"` }),
  },
})

/** The address of a file without the part that can not be guessed. */
export const plainName = (url: string) => url.replace(/-[0-9a-f]{20}(?=[-.])/, '')

export const NOT_A_URL = /^The URL, or a redirect, is not an absolute http or https URL/
export const NOT_ALLOWED = /^The host of this URL is not allowed/
export const NOT_REACHABLE = /^The host of this URL can not be reached/

// Names that exist in these tests only; no name is ever asked of the network.
const NAMES: Record<string, string[]> = {
  'pictures.test': ['127.0.0.1'],
  'pictures.test.': ['127.0.0.1'],
  'private.test': ['10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'loop.test': ['::1'],
  'zone.test': ['fe80::1%eth0'],
  'mapped.test': ['::ffff:192.168.0.1'],
  'mixed.test': ['93.184.216.34', '192.168.1.1'],
  'mixed-last.test': ['127.0.0.1', '2606:4700::1111', 'fd00::1'],
  'nonsense.test': ['not an address'],
  'empty.test': [],
  localhost: ['127.0.0.1', '::1'],
}

/** Names of these tests; all others are unknown. */
export const lookup: Lookup = (hostname, _options, answer) => {
  const found = NAMES[hostname]
  const missing = Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' })
  if (found === undefined) return answer(missing)
  answer(
    null,
    found.map((address) => ({ address, family: net.isIPv6(address) ? 6 : 4 })),
  )
}

export const SAFE: DownloadOptions = { allow: [], userAgent: 'almanac-test', lookup }
export const LOCAL: DownloadOptions = { ...SAFE, allow: ['127.0.0.1'] }

/** A server of this test alone; at its end every connection must be closed already, by the downloader. */
async function listen(t: Test, server: net.Server) {
  const closed: Promise<unknown>[] = []
  server.on('connection', (socket: Socket) => {
    closed.push(new Promise((resolve) => socket.on('close', resolve)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(async () => {
    await Promise.all(closed)
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const serve = (t: Test, handler: RequestListener) => listen(t, http.createServer(handler))
export const serveRaw = (t: Test, handler: (socket: Socket) => void) => listen(t, net.createServer(handler))

/** Why a download was refused. */
export async function refusal(url: string, options = LOCAL) {
  const result = await download(url, options)
  return 'refused' in result ? result.refused : `not refused: ${result.url}`
}

export const words = (text: string) => text.trim().split(/\s+/)
