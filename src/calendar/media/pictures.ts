import { randomBytes } from 'node:crypto'
import dns from 'node:dns'
import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { basename } from 'node:path'
import type { Caller } from '../../kernel/access/rights.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import { checkedLookup, isBanned, type Lookup, readWebUrl } from '../../kernel/outbound/requests.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { stemOf, storedStem } from '../../kernel/text/text.ts'
import type { MediaRow } from '../formats/records.ts'
import { filesOf, type LooseFiles, type Media, type NewMedia } from '../records/media.ts'
import { canUpload } from '../rights.ts'
import type { MediaFolder } from './folder.ts'
import { type Cut, checkImage, openImages, type PreparedImage } from './images.ts'

/** Images by URL: the ID of a known one, or the files of a new one. */
export type FoundPictures = Map<string, number | NewMedia>

type Settings = {
  folder: MediaFolder
  base: string
  clock(): number
  /** Makes the part of names that can not be guessed. */
  nameOf?(): string
  download: DownloadOptions
}

/** With whom the pictures of a caller take turns: visitors are one, however many they are. */
export const turnOf = (caller: Caller) => (caller ? `user ${caller.id}` : 'visitors')

/** 80 bits. */
const randomName = () => randomBytes(10).toString('hex')

/** Stores images in MEDIA_DIR: uploads, and those that a record refers to by URL (D43, R4). */
export function openPictures(
  media: Media,
  { folder, base, clock, nameOf = randomName, download: options }: Settings,
) {
  const prepareImage = openImages()
  /** Images that are downloaded and processed at the same time; a few more may wait. */
  const downloads = openSemaphore(4, 32)

  /** Writes all versions under unused names; returns the data for the row. */
  async function store(
    bytes: Buffer,
    name: string,
    origin_url: string | null,
    by: string,
    cut?: Cut,
  ): Promise<NewMedia | { refused: string }> {
    const image = await prepareImage(bytes, by, cut)
    if ('refused' in image) return image
    const month = new Date(clock()).toISOString().slice(0, 7).replace('-', '/')
    const { id: loose, names: all } = await claim(`${month}/${stemOf(name)}`, image)
    const [file, ...names] = all
    const [full, ...sizes] = image.files
    return {
      file: file!,
      mime_type: image.mime,
      extension: image.extension,
      width: full!.width,
      height: full!.height,
      filesize: full!.bytes.length,
      sizes: Object.fromEntries(
        sizes.map(({ size, width, height, bytes }, at) => [
          size,
          { file: names[at]!, width, height, filesize: bytes.length },
        ]),
      ),
      origin_url,
      loose,
    }
  }

  /**
   * Writes all versions under a name that collides with no other image, and that nobody guesses: whoever knows the address of a file may
   * read it (R19).
   */
  async function claim(stem: string, { files, extension }: PreparedImage): Promise<LooseFiles> {
    for (;;) {
      const free = `${stem}-${nameOf()}`
      const names = files.map(({ suffix }) => `${free}${suffix}.${extension}`)
      const id = await media.files.claim(names)
      if (id === undefined) continue
      const named = files.map(({ bytes }, at) => ({ name: names[at]!, bytes }))
      const written = await folder.write(named).catch(async (error) => {
        await forget(id)
        throw error
      })
      if (written) return { id, names }
      await forget(id)
    }
  }

  async function fetch(url: string, by: string): Promise<number | NewMedia | { refused: string }> {
    const own = url.startsWith(`${base}/media/`) ? url.slice(base.length + '/media/'.length) : undefined
    const known = await media.known(url, own)
    if (known !== undefined) return known
    return downloads(async () => {
      const got = await download(url, options)
      if ('refused' in got) return got
      return store(got.bytes, basename(new URL(url).pathname), url, by)
    })
  }

  /** Removes the note about files. If that fails, as on a full disk, the next start removes it. */
  const forget = (id: number) => media.files.forget(id).catch(() => {})
  /** Deletes files while their note exists, so that it never deletes those of another image. */
  const erase = ({ id }: Pick<LooseFiles, 'id'>) => media.files.remove(id, folder.remove).catch(() => false)
  async function drop(picture: NewMedia) {
    await erase({ id: picture.loose })
    await folder.release(filesOf(picture))
  }

  return {
    /** Fetches a file of a picture, if another node has it and this one does not. */
    ensureFile: (name: string) => folder.ensure(name, () => media.hasFile(name)),
    /** Throws 400 if the beginning of an upload says that it is no usable image, before it is processed. */
    async check(bytes: Buffer): Promise<void> {
      const refused = await checkImage(bytes)
      if (refused) throw invalid({ file: refused })
    },
    /** Stores an upload of somebody, who takes turns with others; returns the data for its row. Throws 400 if it is not a usable image. */
    async upload(bytes: Buffer, name: string, by: string): Promise<NewMedia> {
      const stored = await store(bytes, name, null, by)
      if ('refused' in stored) throw invalid({ file: stored.refused })
      return stored
    },
    /** Stores a part of a picture as another one; returns the data for its row, with the texts of the first. Throws 404 if its file is gone. */
    async crop(row: MediaRow, cut: Cut, by: string): Promise<NewMedia> {
      const { file, alt_texts, captions } = row
      await this.ensureFile(file)
      const bytes = await folder.read(file)
      const stored = bytes && (await store(bytes, storedStem(file), null, by, cut))
      if (!stored || 'refused' in stored)
        throw new ApiError('media-not-found', `The file of image ${row.id} can not be read.`)
      return { ...stored, alt_texts, captions }
    },
    /**
     * Downloads every image that an input refers to by URL, itself or in its venues and organizers. Throws a 400 that names the
     * member if one can not be downloaded, or if the caller may not upload.
     */
    async bring(input: Record<string, unknown>, caller: Caller): Promise<FoundPictures> {
      const found: FoundPictures = new Map()
      try {
        for (const [param, url] of imagesIn(input)) {
          if (found.has(url)) continue
          const picture = canUpload(caller)
            ? await fetch(url, turnOf(caller))
            : { refused: 'requires the right to upload images; send the ID of an uploaded image.' }
          if (typeof picture === 'object' && 'refused' in picture) throw invalid({ [param]: picture.refused })
          found.set(url, picture)
        }
        return found
      } catch (error) {
        await this.discard(found)
        throw error
      }
    },
    /** Deletes the files of images that got no row. */
    async discard(found: FoundPictures) {
      for (const picture of found.values()) if (typeof picture === 'object') await drop(picture)
    },
    /** Deletes the files of one image that got no row. */
    drop,
    /** Deletes the files of an image whose row was deleted. */
    erase,
    /** Deletes files that earlier processes left behind: those that never got a row, or whose row was deleted. Runs at the start. */
    async sweep() {
      for (const files of await media.files.giveUp()) await erase(files)
      await folder.tidy()
    },
    /** Deletes the files of pictures that were deleted. */
    async eraseDeleted() {
      for (const files of await media.files.givenUp()) await erase(files)
    },
    /** Deletes files that uploads of any node left in the share; returns how many. */
    sweepShare: folder.sweepShare,
  }
}
export type Pictures = ReturnType<typeof openPictures>

type Imaged = { image?: { url?: string } | null }

/** The images given by URL, each with the parameter that contains it. */
function imagesIn(input: Record<string, unknown>): [string, string][] {
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

/** `allow` lists hosts, addresses and CIDR blocks exempt from the ban (R9 DOWNLOAD_ALLOW); the defaults of the others are in R4. */
export type DownloadOptions = {
  allow: string[]
  userAgent: string
  timeoutMs?: number
  maxBytes?: number
  maxRedirects?: number
  lookup?: Lookup
}

type Refused = { refused: string }
type Hop = { bytes: Buffer } | { location: string } | Refused
type Limits = Required<Omit<DownloadOptions, 'timeoutMs'>> & { signal: AbortSignal }

const NOT_A_URL =
  'The URL, or a redirect, is not an absolute http or https URL without credentials; send such a URL.'
const NOT_ALLOWED = 'The host of this URL is not allowed; send the URL of a file on a public web server.'
const NOT_REACHABLE = 'The host of this URL can not be reached; check the URL, or upload the file instead.'
const BROKEN_OFF =
  'The server closed the connection during the download; try again, or upload the file instead.'
const TOO_SLOW = 'The download took too long; try again, or upload the file instead.'

const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Downloads an http(s) URL; returns the bytes and the final URL after redirects, within the limits of R4: public
 * addresses only, one deadline for everything. A failure is returned as `refused`, a message for the client.
 */
export async function download(
  url: string,
  options: DownloadOptions,
): Promise<{ bytes: Buffer; url: string } | Refused> {
  const { timeoutMs = 10_000, maxBytes = 10 * 1024 * 1024, maxRedirects = 5, lookup = dns.lookup } = options
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const limits = { ...options, maxBytes, maxRedirects, lookup, signal: deadline.signal }
  try {
    return await follow(url, limits)
  } finally {
    clearTimeout(timer)
  }
}

async function follow(start: string, limits: Limits): Promise<{ bytes: Buffer; url: string } | Refused> {
  let location = start
  let base: string | undefined
  for (let redirects = 0; redirects <= limits.maxRedirects; redirects++) {
    const url = readWebUrl(location, base)
    if (url === undefined) return { refused: NOT_A_URL }
    const hop = await request(url, limits)
    if ('refused' in hop) return hop
    if ('bytes' in hop) return { bytes: hop.bytes, url: url.href }
    location = hop.location
    base = url.href
  }
  return {
    refused: `The server redirects more than ${limits.maxRedirects} times; send the URL of the file itself.`,
  }
}

async function request(url: URL, limits: Limits): Promise<Hop> {
  if (isBanned(url, limits)) return { refused: NOT_ALLOWED }
  let failure = NOT_REACHABLE
  const lookup = checkedLookup(limits, () => {
    failure = NOT_ALLOWED
  })
  const headers = { 'user-agent': limits.userAgent, accept: 'image/*', 'accept-encoding': 'identity' }
  const { get } = url.protocol === 'https:' ? https : http
  const sent = get(url, { agent: false, headers, lookup, signal: limits.signal })
  return answerTo(sent)
    .then((response) => {
      failure = BROKEN_OFF
      return readResponse(response, limits.maxBytes)
    })
    .catch(() => ({ refused: limits.signal.aborted ? TOO_SLOW : failure }))
    .finally(() => sent.destroy())
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  // A 101 response closes the connection without a response event or an error.
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).on('close', reject)
  })
}

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<Hop> {
  const tooLarge = { refused: `The file is too large; the limit is ${maxBytes} bytes.` }
  const { statusCode, headers } = response
  const redirects = REDIRECTS.includes(statusCode!)
  if (redirects && headers.location !== undefined) return { location: headers.location }
  if (statusCode !== 200) return { refused: `The server returned status ${statusCode} instead of 200.` }
  if (Number(headers['content-length']) > maxBytes) return tooLarge
  // One buffer, because a list of one-byte chunks would take a hundred times the size.
  const body = Buffer.allocUnsafe(maxBytes)
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (size + chunk.length > maxBytes) return tooLarge
    size += chunk.copy(body, size)
  }
  return { bytes: Buffer.from(body.subarray(0, size)) }
}
