import sharp from 'sharp'

type Colour = readonly [red: number, green: number, blue: number]
/** The colour at a point; y runs from 0 (top) to 1, x likewise from the left, to 1.6. */
type Picture = (x: number, y: number) => Colour

const WIDTH = 1280
const HEIGHT = 800
/** Width of a soft edge, about a pixel and a half. */
const EDGE = 1.5 / HEIGHT

const rgb = (hex: number): Colour => [hex >> 16, (hex >> 8) & 255, hex & 255]
const clamp = (value: number) => Math.min(1, Math.max(0, value))
const mix = (a: Colour, b: Colour, share: number): Colour => {
  const t = clamp(share)
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}
/** 1 inside of an edge, 0 outside, soft between; `distance` is negative inside. */
const inside = (distance: number) => clamp(0.5 - distance / EDGE)
/** A number from 0 to 1 that looks random and is always the same for the same two. */
const noise = (a: number, b: number) => {
  const wave = Math.sin(a * 127.1 + b * 311.7) * 43758.5453
  return wave - Math.floor(wave)
}

const SAND = rgb(0xf4e9d8)
const INK = rgb(0x1d2440)
const CORAL = rgb(0xf0654a)
const GOLD = rgb(0xf6b73c)
const TEAL = rgb(0x1f8a83)
const SKY = rgb(0x8ec9d8)

/** A low sun over five ridges. */
const sunrise: Picture = (x, y) => {
  const away = Math.hypot(x - 1.05, y - 0.46)
  let colour = mix(mix(rgb(0x35477d), CORAL, y * 1.5), GOLD, (y - 0.35) * 1.6)
  colour = mix(colour, rgb(0xffe3a8), 0.55 * Math.exp(-away * 4))
  colour = mix(colour, rgb(0xfff3d6), inside(away - 0.17))
  for (let ridge = 0; ridge < 5; ridge++) {
    const top =
      0.52 +
      ridge * 0.09 -
      0.05 * Math.sin(x * (2.1 + ridge * 0.7) + ridge * 2.2) -
      0.02 * Math.sin(x * 7 + ridge)
    colour = mix(colour, mix(rgb(0xa8516b), INK, ridge / 4), inside(top - y))
  }
  return colour
}

/** Rings of sound from a corner. */
const rings: Picture = (x, y) => {
  const away = Math.hypot(x - 0.12, y - 1.08)
  const angle = Math.atan2(1.08 - y, x - 0.12)
  const ring = Math.floor(away / 0.11)
  const width = 0.025 + 0.022 * (1 + Math.sin(angle * 3 + ring * 1.7))
  const within = Math.abs((away % 0.11) - 0.055) - width
  const paint = [CORAL, GOLD, SAND, TEAL, SKY][ring % 5]!
  return mix(mix(INK, rgb(0x4a2a5e), y), paint, inside(within) * clamp(1.7 - away * 0.8))
}

/** The moon over water. */
const harbour: Picture = (x, y) => {
  const horizon = 0.62
  const away = Math.hypot(x - 0.55, y - 0.27)
  let colour = mix(rgb(0x0d1b3d), rgb(0x3d6a94), y / horizon)
  const star = noise(Math.floor(x * 60), Math.floor(y * 60))
  const spot = Math.hypot((x * 60) % 1, (y * 60) % 1) - 0.12
  if (star > 0.965) colour = mix(colour, SAND, clamp(-spot * 12))
  colour = mix(colour, rgb(0xcfe0e8), 0.4 * Math.exp(-away * 6))
  colour = mix(colour, rgb(0xfdf6e3), inside(away - 0.12))
  if (y > horizon) {
    const depth = (y - horizon) / (1 - horizon)
    const ripple = Math.sin(y * (260 - depth * 150) + Math.sin(x * 9 + y * 40) * 1.6)
    const glade = Math.exp(-(((x - 0.55) / (0.06 + depth * 0.2)) ** 2))
    const water = mix(rgb(0x274d78), rgb(0x081329), depth)
    colour = mix(water, rgb(0xfdf0cf), glade * clamp(ripple * 1.5 + 0.2) * 0.85)
  }
  return colour
}

/** A quilt of quarter circles. */
const quilt: Picture = (x, y) => {
  const [column, row] = [Math.floor(x * 5), Math.floor(y * 5)]
  const paints = [SAND, CORAL, GOLD, TEAL, INK, SKY]
  const ground = Math.floor(noise(column, row) * 6)
  const paint = (ground + 1 + Math.floor(noise(row + 7, column) * 5)) % 6
  const turn = Math.floor(noise(column + 3, row + 5) * 4)
  const u = turn % 2 === 0 ? (x * 5) % 1 : 1 - ((x * 5) % 1)
  const v = turn < 2 ? (y * 5) % 1 : 1 - ((y * 5) % 1)
  const away = Math.hypot(u, v)
  const colour = mix(paints[ground]!, paints[paint]!, inside((away - 0.98) / 5))
  return mix(colour, paints[ground]!, inside((away - 0.42) / 5))
}

/** Confetti falling. */
const confetti: Picture = (x, y) => {
  let colour = mix(rgb(0xfdf1dc), rgb(0xf9cfb0), y)
  for (let layer = 0; layer < 3; layer++) {
    const cells = 7 + layer * 4
    const [column, row] = [Math.floor(x * cells), Math.floor(y * cells)]
    const seed = noise(column + layer * 31, row + layer * 17)
    const turn = seed * Math.PI * 2
    const [u, v] = [(x * cells) % 1, (y * cells) % 1].map(
      (part, at) => part - 0.35 - 0.3 * noise(seed, at),
    ) as [number, number]
    const along = Math.abs(u * Math.cos(turn) + v * Math.sin(turn))
    const across = Math.abs(v * Math.cos(turn) - u * Math.sin(turn))
    const shape = seed > 0.5 ? Math.hypot(u, v) - 0.17 : Math.max(along - 0.24, across - 0.09)
    const paint = [CORAL, GOLD, TEAL, SKY, INK][Math.floor(seed * 97) % 5]!
    colour = mix(colour, paint, seed > 0.25 ? inside(shape / cells) * (1 - layer * 0.22) : 0)
  }
  return colour
}

/** Three beams of stage light. */
const beams: Picture = (x, y) => {
  let colour = mix(rgb(0x14142b), rgb(0x3a1d4d), y)
  for (const [from, to, paint] of [
    [0.25, 0.62, CORAL],
    [0.8, 0.8, GOLD],
    [1.35, 0.98, SKY],
  ] as const) {
    const middle = from + (to - from) * y
    const spread = 0.015 + y * 0.2
    const light = inside((Math.abs(x - middle) - spread) / 14) * (1 - y * 0.55)
    colour = mix(colour, paint, light * 0.62)
  }
  const floor = ((x - 0.8) / 0.75) ** 2 + ((y - 0.9) / 0.075) ** 2 - 1
  return mix(colour, rgb(0xffe9c4), clamp(-floor) * 0.75)
}

const PICTURES = { sunrise, rings, harbour, quilt, confetti, beams }
export type Poster = keyof typeof PICTURES
export const POSTERS = Object.keys(PICTURES) as Poster[]

/** Draws a poster of 1280 by 800 pixels; gives a JPEG file. */
export function drawPoster(name: Poster): Promise<Buffer> {
  const picture = PICTURES[name]
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3)
  for (let at = 0; at < WIDTH * HEIGHT; at++) {
    const colour = picture(((at % WIDTH) + 0.5) / HEIGHT, (Math.floor(at / WIDTH) + 0.5) / HEIGHT)
    pixels.set(colour.map(Math.round), at * 3)
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}
