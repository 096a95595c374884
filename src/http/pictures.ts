import { mkdir, unlink, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { type DownloadOptions, download } from '../download.ts'
import { invalid } from '../errors.ts'
import { prepareImage } from '../images.ts'
import { type Caller, canUpload } from '../roles.ts'
import type { Media, NewMedia } from '../store/media.ts'
import { toSlug } from '../text.ts'

/** Pictures by URL: the ID of one that is known, or the files of a new one. */
export type FoundPictures = Map<string, number | NewMedia>

type Settings = { dir: string; base: string; clock(): number; download: DownloadOptions }

/** Brings pictures into MEDIA_DIR: uploaded ones, and those that a record names by URL (D43, R4). */
export function openPictures(media: Media, { dir, base, clock, download: options }: Settings) {
  /** Writes all versions under a name that is free; gives what the row will hold. */
  async function store(
    bytes: Buffer,
    name: string,
    origin_url: string | null,
  ): Promise<NewMedia | { refused: string }> {
    const image = await prepareImage(bytes)
    if ('refused' in image) return image
    const folder = new Date(clock()).toISOString().slice(0, 7).replace('-', '/')
    await mkdir(join(dir, folder), { recursive: true })
    const stem =
      toSlug(basename(name, extname(name)))
        .replaceAll('%', '')
        .slice(0, 80) || 'image'
    const [full, ...sizes] = image.files
    const free = await claim(folder, stem, image.extension, full!.bytes)
    for (const size of sizes)
      await writeFile(join(dir, `${free}${size.suffix}.${image.extension}`), size.bytes)
    return {
      file: `${free}.${image.extension}`,
      mime_type: image.mime,
      extension: image.extension,
      width: full!.width,
      height: full!.height,
      filesize: full!.bytes.length,
      sizes: Object.fromEntries(
        sizes.map(({ size, suffix, width, height, bytes }) => [
          size,
          { file: `${free}${suffix}.${image.extension}`, width, height, filesize: bytes.length },
        ]),
      ),
      origin_url,
    }
  }

  /** Writes the full picture under the first name of `stem`, `stem-1`, ... that nothing has. */
  async function claim(folder: string, stem: string, extension: string, bytes: Buffer): Promise<string> {
    for (let number = 0; ; number++) {
      const name = `${folder}/${stem}${number === 0 ? '' : `-${number}`}`
      const taken = await writeFile(join(dir, `${name}.${extension}`), bytes, { flag: 'wx' }).then(
        () => false,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
          return true
        },
      )
      if (!taken) return name
    }
  }

  async function fetch(url: string): Promise<number | NewMedia | { refused: string }> {
    const own = url.startsWith(`${base}/media/`)
      ? decodeURI(url.slice(base.length + '/media/'.length))
      : undefined
    const known = await media.known(url, own)
    if (known !== undefined) return known
    const got = await download(url, options)
    if ('refused' in got) return got
    return store(got.bytes, basename(new URL(url).pathname), url)
  }

  const remove = (files: string[]) =>
    Promise.all(files.map((file) => unlink(join(dir, file)).catch(() => {})))
  const filesOf = (picture: Pick<NewMedia, 'file' | 'sizes'>) => [
    picture.file,
    ...Object.values(picture.sizes).map((size) => size.file),
  ]

  return {
    dir,
    /** Takes an upload; gives what its row will hold. Throws 400 where it is no picture that can be taken. */
    async take(bytes: Buffer, name: string): Promise<NewMedia> {
      const stored = await store(bytes, name, null)
      if ('refused' in stored) throw invalid({ file: stored.refused })
      return stored
    },
    /**
     * Brings in every picture that an input names by URL, itself or in its venues and organizers.
     * Throws the 400 that names the member where one can't be had, or the caller may not upload.
     */
    async bring(input: Record<string, unknown>, caller: Caller): Promise<FoundPictures> {
      const found: FoundPictures = new Map()
      for (const [param, url] of wanted(input)) {
        if (found.has(url)) continue
        const picture = canUpload(caller)
          ? await fetch(url)
          : { refused: 'needs the right to upload images; give the ID of an uploaded one.' }
        if (typeof picture === 'object' && 'refused' in picture) {
          await this.discard(found)
          throw invalid({ [param]: picture.refused })
        }
        found.set(url, picture)
      }
      return found
    },
    /** Takes back the files of pictures that no row came for. */
    async discard(found: FoundPictures) {
      for (const picture of found.values()) if (typeof picture === 'object') await remove(filesOf(picture))
    },
    /** Deletes the files of a picture whose row is gone. */
    erase: (picture: Pick<NewMedia, 'file' | 'sizes'>) => remove(filesOf(picture)),
  }
}
export type Pictures = ReturnType<typeof openPictures>

type Imaged = { image?: { url?: string } | null }

/** The pictures named by URL, each with the parameter that names it. */
function wanted(input: Record<string, unknown>): [string, string][] {
  const own: [string, Imaged][] = [['image', input as Imaged]]
  for (const kind of ['venue', 'organizer'] as const) {
    const links = input[kind]
    if (Array.isArray(links))
      own.push(
        ...links.flatMap((link): [string, Imaged][] => ('create' in link ? [[kind, link.create]] : [])),
      )
  }
  return own.flatMap(([param, { image }]): [string, string][] => (image?.url ? [[param, image.url]] : []))
}
