import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Test } from 'tap'
import { openMediaFolder } from '../../src/calendar/media/folder.ts'
import { openPictures } from '../../src/calendar/media/pictures.ts'
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
