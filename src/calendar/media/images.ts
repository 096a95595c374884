import type { Metadata, Sharp } from 'sharp'
import { openFairSemaphore } from '../../kernel/tasks/semaphore.ts'

/** One image file to store. `suffix` precedes the extension: '' for the full version, otherwise such as '-300x188'. */
type ImageFile = {
  suffix: string
  size?: SizeName
  width: number
  height: number
  bytes: Buffer
}

/** A processed image, its full version first (D43). */
export type PreparedImage = { mime: string; extension: string; files: ImageFile[] }

/** A part of a picture: parts of its width and height after so many quarter turns clockwise. */
export type Cut = { x: number; y: number; width: number; height: number; turns: number }
type Area = { left: number; top: number; width: number; height: number }

type SizeName = 'thumbnail' | 'medium' | 'medium_large' | 'large' | '1536x1536' | '2048x2048'
type Box = { size: SizeName; width: number; height: number; crop: boolean }
type Kind = { extension: string; animates: boolean; encode: (image: Sharp) => Sharp }

const MAX_PIXELS = 50_000_000 // of the image, or of all frames of an animation together
const MAX_SIDE = 16_384 // lines are held whole, and some kinds as a whole
const MAX_SECONDS = 30 // for one file; a noisy GIF of 48 million pixels takes about 16

const KINDS: Record<string, Kind> = {
  'image/jpeg': { extension: 'jpg', animates: false, encode: (image) => image.jpeg({ quality: 82 }) },
  'image/png': { extension: 'png', animates: false, encode: (image) => image.png({ compressionLevel: 9 }) },
  'image/gif': { extension: 'gif', animates: true, encode: (image) => image.gif() },
  'image/webp': { extension: 'webp', animates: true, encode: (image) => image.webp({ quality: 82 }) },
  // The default effort, 4, took seven times as long as 2 on 48 million pixels, for 8 % fewer bytes.
  'image/avif': { extension: 'avif', animates: false, encode: (image) => image.avif({ effort: 2 }) },
}

const BOXES: Box[] = [
  { size: 'thumbnail', width: 150, height: 150, crop: true },
  { size: 'medium', width: 300, height: 300, crop: false },
  { size: 'medium_large', width: 768, height: Number.POSITIVE_INFINITY, crop: false },
  { size: 'large', width: 1024, height: 1024, crop: false },
  { size: '1536x1536', width: 1536, height: 1536, crop: false },
  { size: '2048x2048', width: 2048, height: 2048, crop: false },
]

const UNKNOWN =
  'The file is not a complete image in a supported format; send a JPEG, PNG, GIF, WebP or AVIF file.'
const DAMAGED = 'The image is damaged, incomplete or takes too long to process; send another file.'
const HUGE = `The image is too large; the limit is ${MAX_PIXELS / 1_000_000} million pixels, and ${MAX_SIDE.toLocaleString('en')} pixels a side.`

/** Loads sharp with the first image, because it takes as much memory and start time as the framework. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false) // no image is processed twice
  sharp.concurrency(1) // one thread for an image; the others serve requests
  // Disables the decoders of other formats (SVG, TIFF, PDF, ...) for the whole process.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((format) => `VipsForeignLoad${format}`),
  })
  return sharp
}
let loading: ReturnType<typeof loadSharp> | undefined
const library = () => (loading ??= loadSharp())

/**
 * What processes pictures, one at a time, while a few more may wait: by turns of those whom they are of, so that nobody waits behind all that
 * another one sends. It gives the picture re-encoded, upright, in sRGB and without metadata, and its sizes smaller than the original
 * (R4, D43). Its kind is told by its content alone; what is no such picture comes back as `refused`. With a cut it gives that part, of an
 * animation its first frame. Throws `rest_overloaded` where too many wait.
 */
export function openImages() {
  const { run } = openFairSemaphore({ all: 1, each: 1 }, { all: 48, each: 16 })
  return (input: Buffer, by: string, cut?: Cut): Promise<PreparedImage | { refused: string }> =>
    run(by, () => prepare(input, cut))
}

/** Why an image can not be used, as its header says; undefined if it may be. */
export async function checkImage(input: Buffer): Promise<string | undefined> {
  const header = await readHeader(input)
  return header === undefined ? UNKNOWN : refusalOf(header)
}

function refusalOf({ mediaType, autoOrient: { width, height } }: Metadata): string | undefined {
  if (KINDS[String(mediaType)] === undefined) return UNKNOWN
  return width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE ? HUGE : undefined
}

/** The pixels of a part of a picture of this size, at least one. */
function areaOf({ x, y, width, height }: Cut, whole: { width: number; height: number }): Area {
  const left = Math.min(whole.width - 1, Math.round(x * whole.width))
  const top = Math.min(whole.height - 1, Math.round(y * whole.height))
  return {
    ...{ left, top },
    width: Math.max(1, Math.min(whole.width - left, Math.round(width * whole.width))),
    height: Math.max(1, Math.min(whole.height - top, Math.round(height * whole.height))),
  }
}

async function prepare(input: Buffer, cut: Cut | undefined): Promise<PreparedImage | { refused: string }> {
  const header = await readHeader(input)
  if (header === undefined) return { refused: UNKNOWN }
  const refused = refusalOf(header)
  if (refused) return { refused }
  const mime = header.mediaType!
  const kind = KINDS[mime]!
  const whole = header.autoOrient
  const turned = cut && cut.turns % 2 === 1 ? { width: whole.height, height: whole.width } : whole
  const area = cut && areaOf(cut, turned)
  const { width, height } = area ?? whole
  // The decoder can not rotate animations, so the few that need it become still images.
  const upright = (header.orientation ?? 1) === 1
  const frames = header.pages ?? 1
  const animated = !cut && kind.animates && upright && width * height * frames <= MAX_PIXELS
  try {
    const open = async (animated: boolean) => {
      const image = await decode(input, animated)
      return cut ? image.rotate(90 * cut.turns).extract(area!) : image
    }
    const files = [await renderFull(await open(animated), kind)]
    // One after the other, because all at once would occupy every thread, and DNS and files need them too.
    for (const box of sizesOf(width, height)) files.push(await renderSize(await open(false), kind, box))
    return { mime, extension: kind.extension, files }
  } catch {
    return { refused: DAMAGED }
  }
}

async function readHeader(input: Buffer) {
  const sharp = await library()
  try {
    return await sharp(input, { limitInputPixels: false }).metadata()
  } catch {
    return undefined
  }
}

async function decode(input: Buffer, animated: boolean): Promise<Sharp> {
  const sharp = await library()
  const options = { animated, autoOrient: !animated, limitInputPixels: MAX_PIXELS, failOn: 'error' } as const
  return sharp(input, options).timeout({ seconds: MAX_SECONDS })
}

async function renderFull(image: Sharp, kind: Kind): Promise<ImageFile> {
  const { data, info } = await kind.encode(image).toBuffer({ resolveWithObject: true })
  return { suffix: '', width: info.width, height: info.pageHeight ?? info.height, bytes: data }
}

async function renderSize(image: Sharp, kind: Kind, box: Box): Promise<ImageFile> {
  const { size, width, height, crop } = box
  const resized = image.resize(width, height, { fit: crop ? 'cover' : 'fill' })
  return { suffix: `-${width}x${height}`, size, width, height, bytes: await kind.encode(resized).toBuffer() }
}

/** The sizes for an image of these dimensions, without those that would not make it smaller. */
function sizesOf(width: number, height: number): Box[] {
  return BOXES.map((box) => ({ ...box, ...(box.crop ? cropInto : fitInto)(box, width, height) })).filter(
    (size) => size.width < width || size.height < height,
  )
}

function cropInto(box: Box, width: number, height: number) {
  return { width: Math.min(box.width, width), height: Math.min(box.height, height) }
}

function fitInto(box: Box, width: number, height: number) {
  const wide = box.width / width <= box.height / height
  const [to, from] = wide ? [box.width, width] : [box.height, height]
  if (to >= from) return { width, height }
  // Multiply before dividing, so that a half stays exact: 1600x1000 gives 300x188.
  return {
    width: Math.max(1, Math.round((width * to) / from)),
    height: Math.max(1, Math.round((height * to) / from)),
  }
}
