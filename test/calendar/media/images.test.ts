import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import { openImages, type PreparedImage } from '../../../src/calendar/media/images.ts'

const prepare = openImages()
const prepareImage = (bytes: Buffer) => prepare(bytes, 'somebody')

const UNKNOWN =
  /^The file is not a complete image in a supported format; send a JPEG, PNG, GIF, WebP or AVIF file\.$/
const DAMAGED = /^The image is damaged, incomplete or takes too long to process/
const HUGE = /^The image is too large; the limit is 50 million pixels, and 16,384 pixels a side\.$/

const FORMATS = ['jpeg', 'png', 'gif', 'webp', 'avif'] as const
const RED = { r: 250, g: 20, b: 20 }

function draw(width: number, height: number) {
  return sharp({
    create: { width, height, channels: 3, background: RED, noise: { type: 'gaussian', sigma: 20 } },
  })
}

/** Three frames of one colour each, one above the other as sharp takes them. */
function drawFrames(width: number, height: number) {
  const frames = Buffer.alloc(width * height * 3 * 3)
  for (const frame of [0, 1, 2])
    frames.fill(frame * 100, frame * width * height * 3, (frame + 1) * width * height * 3)
  return sharp(frames, { raw: { width, height: height * 3, channels: 3, pageHeight: height } })
}

/** A GIF whose frames, of one pixel each, cost nothing: its canvas is what a decoder must hold. */
function drawHollowGif(width: number, height: number, frames: number) {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([screen, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
}

/** A PNG whose header promises these pixels, whatever follows. */
function promising(png: Buffer, width: number, height: number) {
  const bytes = Buffer.from(png)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29)
  return bytes
}
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

async function prepared(input: Buffer): Promise<PreparedImage> {
  const result = await prepareImage(input)
  if ('refused' in result) throw new Error(result.refused)
  return result
}

const names = (image: PreparedImage) => image.files.map((file) => `${file.size ?? 'full'}${file.suffix}`)

t.test('each kind that is accepted keeps its kind, told by its content alone', async (t) => {
  const extensions = { jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp', avif: 'avif' }
  for (const format of FORMATS) {
    const image = await prepared(await draw(400, 250).toFormat(format).toBuffer())
    t.match(image, { mime: `image/${format}`, extension: extensions[format] })
    t.same(names(image), ['full', 'thumbnail-150x150', 'medium-300x188'], format)
    for (const file of image.files) {
      const { mediaType, width, height } = await sharp(file.bytes).metadata()
      t.same({ mediaType, width, height }, { mediaType: image.mime, width: file.width, height: file.height })
    }
  }
})

t.test('sizes are those smaller than the original, named and rounded as clients know them', async (t) => {
  const cases: [width: number, height: number, sizes: string][] = [
    [1600, 1000, 'thumbnail-150x150 medium-300x188 medium_large-768x480 large-1024x640 1536x1536-1536x960'],
    [1000, 1600, 'thumbnail-150x150 medium-188x300 medium_large-768x1229 large-640x1024 1536x1536-960x1536'],
    [
      3000,
      1200,
      'thumbnail-150x150 medium-300x120 medium_large-768x307 large-1024x410 1536x1536-1536x614 2048x2048-2048x819',
    ],
    [640, 480, 'thumbnail-150x150 medium-300x225'],
    [768, 1025, 'thumbnail-150x150 medium-225x300 large-767x1024'],
    [1536, 2048, 'thumbnail-150x150 medium-225x300 medium_large-768x1024 large-768x1024 1536x1536-1152x1536'],
    [300, 300, 'thumbnail-150x150'],
    [300, 100, 'thumbnail-150x100'],
    [151, 150, 'thumbnail-150x150'],
    [150, 150, ''],
    [50, 40, ''],
    [1, 1, ''],
    [2000, 1, 'thumbnail-150x1 medium-300x1 medium_large-768x1 large-1024x1 1536x1536-1536x1'],
  ]
  for (const [width, height, sizes] of cases) {
    const image = await prepared(await draw(width, height).png().toBuffer())
    t.equal(names(image).join(' '), `full ${sizes}`.trim(), `${width}x${height}`)
    t.match(image.files[0], { suffix: '', width, height })
  }
})

t.test('no size is larger than the original, and all have the pixels that they promise', async () => {
  const side = fc.oneof(
    fc.integer({ min: 1, max: 400 }),
    fc.constantFrom(149, 150, 151, 299, 300, 301, 769, 1025),
  )
  const property = fc.asyncProperty(side, side, async (width, height) => {
    const background = RED
    const input = await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer()
    for (const file of (await prepared(input)).files) {
      const found = await sharp(file.bytes).metadata()
      if (found.width !== file.width || found.height !== file.height) return false
      if (file.width > width || file.height > height) return false
    }
    return true
  })
  await fc.assert(property, { numRuns: 30 })
})

t.test('the thumbnail is cut from the middle', async (t) => {
  const blue = { create: { width: 300, height: 300, channels: 3, background: 'blue' } } as const
  const image = await prepared(
    await draw(900, 300)
      .composite([{ input: blue }])
      .png()
      .toBuffer(),
  )
  const { channels } = await sharp(image.files[1]!.bytes).stats()
  const means = channels.slice(0, 3).map((channel) => Math.round(channel.mean / 10))
  t.same(means, [0, 0, 25])
})

t.test('metadata is dropped, and a picture lying on its side is put upright', async (t) => {
  const exif = { IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } }
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const lying = draw(400, 200)
      .withExif(exif)
      .withXmp('<x/>')
      .withMetadata({ orientation: 6 })
      .toFormat(format)
    const input = await lying.toBuffer()
    t.ok(input.includes('somebody'), 'the test is one')
    const image = await prepared(input)
    t.same(names(image), ['full', 'thumbnail-150x150', 'medium-150x300'], format)
    t.match(image.files[0], { width: 200, height: 400 })
    for (const file of image.files) {
      const { exif, icc, xmp, iptc, orientation } = await sharp(file.bytes).metadata()
      t.same([exif, icc, xmp, iptc, orientation], [undefined, undefined, undefined, undefined, undefined])
      t.notOk(file.bytes.includes('somebody'))
    }
  }
})

t.test('colours of a wider profile are turned into those of sRGB', async (t) => {
  const input = await draw(40, 40).withIccProfile('p3').png().toBuffer()
  const raw = await sharp(input, { ignoreIcc: true }).raw().toBuffer()
  const image = await prepared(input)
  t.notSame(await sharp(image.files[0]!.bytes).raw().toBuffer(), raw)
  t.equal((await sharp(image.files[0]!.bytes).metadata()).hasProfile, false)
  const cmyk = await prepared(await draw(40, 40).toColourspace('cmyk').jpeg().toBuffer())
  t.equal((await sharp(cmyk.files[0]!.bytes).metadata()).space, 'srgb')
})

t.test('an animation moves in the full picture and stands still in the sizes', async (t) => {
  for (const format of ['gif', 'webp'] as const) {
    const input = await drawFrames(400, 200)
      .toFormat(format, { delay: [100, 200, 300], loop: 2 })
      .toBuffer()
    const image = await prepared(input)
    t.same(names(image), ['full', 'thumbnail-150x150', 'medium-300x150'], format)
    t.match(image.files[0], { width: 400, height: 200 })
    const found = await Promise.all(image.files.map((file) => sharp(file.bytes).metadata()))
    t.same(
      found.map((file) => file.pages ?? 1),
      [3, 1, 1],
    )
    t.match(found[0], { delay: [100, 200, 300], loop: 2 })
  }
})

t.test('an animation stands still when it has too many pixels in all, or lies on its side', async (t) => {
  const frames = async (input: Buffer) =>
    (await sharp((await prepared(input)).files[0]!.bytes).metadata()).pages ?? 1
  t.equal(await frames(drawHollowGif(1000, 1000, 51)), 1)
  const lying = await drawFrames(60, 30).withMetadata({ orientation: 6 }).webp().toBuffer()
  t.equal(await frames(lying), 1)
  t.match((await prepared(lying)).files, [{ width: 30, height: 60 }])
})

t.test('a picture of too many pixels is refused before they are unpacked', async (t) => {
  const bomb = await sharp({ create: { width: 7072, height: 7072, channels: 3, background: RED } })
    .png()
    .toBuffer()
  t.ok(bomb.length < 1_000_000)
  t.match(await prepareImage(bomb), { refused: HUGE })
  const header = await draw(8, 8).jpeg().toBuffer()
  const size = header.indexOf(Buffer.from([0xff, 0xc0])) + 5
  header.writeUInt32BE(0xfde8fde8, size)
  t.match(await prepareImage(header), { refused: HUGE }, 'a few bytes that promise 65000x65000')
  const png = await draw(8, 8).png().toBuffer()
  for (const [width, height] of [
    [50_000_000, 1],
    [1, 50_000_000],
    [16_385, 1],
    [1, 16_385],
    [16_384, 16_384],
  ] as const)
    t.match(await prepareImage(promising(png, width, height)), { refused: HUGE }, `PNG of ${width}x${height}`)
  t.match((await prepared(await draw(16_384, 2).png().toBuffer())).files[0], { width: 16_384 })
})

t.test('other kinds are refused', async (t) => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
  const avif = await draw(40, 40).avif().toBuffer()
  const kinds: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    zeros: Buffer.alloc(1000),
    text: Buffer.from('hello'),
    html: Buffer.from('<!doctype html><img src="poster.jpg">'),
    svg: Buffer.from(svg),
    'svg with a prologue': Buffer.from(`<?xml version="1.0"?>\n${svg}`),
    pdf: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'),
    tiff: await draw(40, 40).tiff().toBuffer(),
    heic: Buffer.from(avif.toString('latin1').replaceAll('avif', 'heic'), 'latin1'),
    bmp: Buffer.from('424d3a0000000000000036000000280000000100000001000000010018', 'hex'),
    ppm: Buffer.from('P3 1 1 255 1 2 3'),
    zip: Buffer.from('PK\x03\x04'),
    'a picture after a text': Buffer.concat([Buffer.from('GIF'), await draw(9, 9).png().toBuffer()]),
    'only a magic number': Buffer.from([0xff, 0xd8, 0xff]),
  }
  for (const [kind, input] of Object.entries(kinds))
    t.match(await prepareImage(input), { refused: UNKNOWN }, kind)
})

t.test('what is cut off or damaged is refused', async (t) => {
  for (const format of FORMATS) {
    const input = await draw(64, 48).toFormat(format).toBuffer()
    for (const part of [0.1, 0.5, 0.9]) {
      const result = await prepareImage(input.subarray(0, Math.floor(input.length * part)))
      t.ok('refused' in result, `${part} of a ${format}`)
    }
  }
  const half = await draw(64, 48).jpeg().toBuffer()
  t.match(await prepareImage(half.subarray(0, half.length / 2)), { refused: DAMAGED })
})

t.test('what hides behind or inside a picture does not survive', async (t) => {
  const payload = '<script>alert(1)</script>'
  for (const format of FORMATS) {
    const input = Buffer.concat([await draw(40, 40).toFormat(format).toBuffer(), Buffer.from(payload)])
    const result = await prepareImage(input)
    t.notOk('files' in result && result.files.some((file) => file.bytes.includes('script')), format)
  }
  const commented = await draw(40, 40)
    .withExif({ IFD0: { ImageDescription: payload } })
    .jpeg()
    .toBuffer()
  t.notOk((await prepared(commented)).files[0]!.bytes.includes('script'))
})

t.test('the other formats stay locked for the whole process', async (t) => {
  await t.rejects(
    sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')).metadata(),
  )
})

t.test(
  'pictures are processed in turn, sixteen may wait, and those beyond are told to come back',
  async (t) => {
    const input = await draw(20, 20).png().toBuffer()
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => prepareImage(input)))
    t.same(
      all.map((one) => (one.status === 'rejected' ? one.reason.code : one.status)),
      [...Array(17).fill('fulfilled'), ...Array(3).fill('rest_overloaded')],
    )
    t.match(await prepared(input), { extension: 'png' }, 'and then there is room again')
  },
)
