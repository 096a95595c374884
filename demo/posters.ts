import sharp from 'sharp'

type Colour = readonly [red: number, green: number, blue: number]
/** The colour at a point; y runs from 0 (top) to 1, x likewise from the left, to 1.6. */
type Picture = (x: number, y: number) => Colour

const HEIGHT = 800
/** Of width to height. */
const RATIO = 1.6
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

/** Awnings of a market under a pale sky. */
const awnings: Picture = (x, y) => {
  let colour = mix(rgb(0xfbe9cf), rgb(0xf6d5b4), y)
  for (let row = 0; row < 3; row++) {
    const top = 0.2 + row * 0.25
    const left = x + row * 0.13
    const stripe = Math.floor(left * 9)
    const drop = 0.2 + 0.028 * Math.abs(Math.sin(left * 9 * Math.PI))
    const paint = stripe % 2 === 0 ? [CORAL, TEAL, GOLD][row]! : SAND
    const shade = mix(paint, INK, 0.16 * clamp((y - top) / drop))
    colour = mix(colour, mix(INK, rgb(0x6d4a3f), 0.6), inside(Math.abs(y - top - drop - 0.015) - 0.02) * 0.22)
    colour = mix(colour, shade, inside(Math.max(top - y, y - top - drop)))
  }
  return colour
}

/** Pages of a book that fan out. */
const pages: Picture = (x, y) => {
  let colour = mix(TEAL, rgb(0x124b52), y)
  for (let leaf = 0; leaf < 9; leaf++) {
    const turn = -1.25 + leaf * 0.31
    const [u, v] = [x - 0.8, 0.92 - y]
    const along = u * Math.sin(turn) + v * Math.cos(turn)
    const across = u * Math.cos(turn) - v * Math.sin(turn)
    const bend = across - 0.16 * along * along
    const sheet = Math.max(Math.abs(bend) - 0.06 * along, along - 0.78, -along)
    const paint = [SAND, rgb(0xfdf6e8), GOLD, SAND, CORAL, rgb(0xfdf6e8), SAND, SKY, SAND][leaf]!
    colour = mix(colour, mix(INK, paint, 0.4 + 0.6 * clamp(along * 1.6)), inside(sheet))
  }
  return colour
}

/** Planets on their ways. */
const orbits: Picture = (x, y) => {
  const [u, v] = [x - 0.35, y - 0.6]
  const away = Math.hypot(u, v * 1.35)
  let colour = mix(rgb(0x101a3a), rgb(0x2a1d4f), x / 1.6)
  const star = noise(Math.floor(x * 60), Math.floor(y * 60))
  const spot = Math.hypot(((x * 60) % 1) - 0.5, ((y * 60) % 1) - 0.5) - 0.12
  if (star > 0.975) colour = mix(colour, SAND, clamp(-spot * 12))
  colour = mix(colour, GOLD, 0.5 * Math.exp(-away * 5))
  for (const [at, radius, angle, paint] of [
    [0.3, 0.035, 0.6, SKY],
    [0.5, 0.06, -0.9, CORAL],
    [0.74, 0.045, 0.2, TEAL],
    [1, 0.08, -0.45, SAND],
  ] as const) {
    colour = mix(colour, SAND, 0.25 * inside(Math.abs(away - at) - 0.002))
    const [px, py] = [at * Math.cos(angle), (at * Math.sin(angle)) / 1.35]
    const disc = Math.hypot(u - px, v - py)
    const lit = clamp(0.75 - ((u - px) * Math.cos(angle) + (v - py) * Math.sin(angle)) / radius / 2)
    colour = mix(colour, mix(INK, paint, lit), inside(disc - radius))
  }
  return mix(colour, rgb(0xfff1cf), inside(Math.hypot(u, v) - 0.11))
}

/** Loaves and bowls on a table. */
const table: Picture = (x, y) => {
  let colour = mix(rgb(0xf3dfc3), rgb(0xe7c79c), y)
  const cloth = Math.floor(x * 10 + y * 4) % 2 === 0 ? rgb(0xfaf0df) : rgb(0xf0d9b8)
  colour = mix(colour, cloth, inside(0.42 - y))
  for (const [cx, cy, size, paint, hole] of [
    [0.32, 0.6, 0.22, rgb(0xb9743c), 0],
    [0.86, 0.5, 0.17, TEAL, 0.13],
    [1.28, 0.68, 0.2, rgb(0xc98647), 0],
    [0.66, 0.84, 0.12, CORAL, 0.09],
    [1.02, 0.9, 0.09, GOLD, 0.06],
  ] as const) {
    const [u, v] = [(x - cx) / 1.15, y - cy]
    const away = Math.hypot(u, v)
    colour = mix(colour, INK, 0.25 * Math.exp(-Math.max(0, Math.hypot(u - 0.02, v - 0.03) - size) * 40))
    const cut = Math.abs(Math.sin((u + v) * 26))
    const top = hole === 0 ? mix(paint, rgb(0xf7e2bd), cut > 0.9 ? 0.8 : 0.1) : paint
    colour = mix(colour, mix(top, SAND, clamp(0.35 - away / size / 2)), inside(away - size))
    if (hole > 0) colour = mix(colour, mix(paint, INK, 0.45), inside(away - hole))
  }
  return colour
}

const PICTURES = { sunrise, rings, harbour, quilt, confetti, beams, awnings, pages, orbits, table }
export type Poster = keyof typeof PICTURES
export const POSTERS = Object.keys(PICTURES) as Poster[]

/** Draws a poster of so many points in height; gives a JPEG file. */
export function drawPoster(name: Poster, height = HEIGHT): Promise<Buffer> {
  const picture = PICTURES[name]
  const width = height * RATIO
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < width * height; at++) {
    const colour = picture(((at % width) + 0.5) / height, (Math.floor(at / width) + 0.5) / height)
    for (let channel = 0; channel < 3; channel++) pixels[at * 3 + channel] = Math.round(colour[channel]!)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}
