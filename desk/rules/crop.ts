/** A frame in a picture: parts of its width and height, from 0 to 1. */
export type Frame = { x: number; y: number; width: number; height: number }
/** The corner of a frame that is moved: of its two sides the first (0) or the last (1). */
export type Corner = readonly [x: 0 | 1, y: 0 | 1]
/** The pixels of a picture. */
export type Pixels = { width: number; height: number }

export const WHOLE: Frame = { x: 0, y: 0, width: 1, height: 1 }
/** The proportions that are offered, width to height; the first one is free. */
export const PROPORTIONS: [name: string, ratio: number | undefined][] = [
  ['free', undefined],
  ['16:9', 16 / 9],
  ['4:3', 4 / 3],
  ['1:1', 1],
]
export const CORNERS: Corner[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
]

/** The smallest side of a frame. */
const LEAST = 0.05
const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

/** A picture after it was turned by so many degrees. */
export const turned = ({ width, height }: Pixels, rotate: number): Pixels =>
  rotate % 180 === 0 ? { width, height } : { width: height, height: width }

/** A frame that was moved, and stays in the picture. */
export const moved = (frame: Frame, dx: number, dy: number): Frame => ({
  ...frame,
  x: within(frame.x + dx, 0, 1 - frame.width),
  y: within(frame.y + dy, 0, 1 - frame.height),
})

/** Proportions of a frame in parts of a picture, from those of its pixels. */
const partsOf = (ratio: number, { width, height }: Pixels) => (ratio * height) / width

/** A frame of which one corner was moved: the corner across stays, and so do the proportions, if there are any. */
export function sized(
  frame: Frame,
  [cx, cy]: Corner,
  [dx, dy]: readonly [number, number],
  picture: Pixels,
  ratio: number | undefined,
): Frame {
  // the room that the frame has from the corner that stays
  const room = [cx ? 1 - frame.x : frame.x + frame.width, cy ? 1 - frame.y : frame.y + frame.height] as const
  let width = within(frame.width + (cx ? dx : -dx), LEAST, room[0])
  let height = within(frame.height + (cy ? dy : -dy), LEAST, room[1])
  if (ratio !== undefined) {
    const parts = partsOf(ratio, picture)
    // the side that was moved more leads
    const wanted = Math.abs(dx) >= Math.abs(dy) * parts ? width : height * parts
    width = Math.min(wanted, room[0], room[1] * parts)
    height = width / parts
  }
  return {
    x: cx ? frame.x : frame.x + frame.width - width,
    y: cy ? frame.y : frame.y + frame.height - height,
    ...{ width, height },
  }
}

/** The largest frame of these proportions, around the middle of another one as far as the picture reaches. */
export function fitted({ x, y, width, height }: Frame, picture: Pixels, ratio: number): Frame {
  const parts = partsOf(ratio, picture)
  const size = { width: Math.min(1, parts), height: Math.min(1, 1 / parts) }
  return moved({ x: x + (width - size.width) / 2, y: y + (height - size.height) / 2, ...size }, 0, 0)
}

/** The pixels of a frame in words. */
export const pixelsOf = (frame: Frame, picture: Pixels): Pixels => ({
  width: Math.max(1, Math.round(frame.width * picture.width)),
  height: Math.max(1, Math.round(frame.height * picture.height)),
})
