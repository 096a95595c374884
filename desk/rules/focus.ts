/** A point of a picture: parts of its width and height, from 0 to 1. */
export type Point = { x: number; y: number }

const within = (part: number) => Math.min(100, Math.max(0, Math.round(100 * part)))

/** A point in words, as forms keep it: hundredths of the width and the height. A point beyond an edge is on it. */
export const textOfPoint = ({ x, y }: Point): string => `${within(x)} %, ${within(y)} %`

/** The point of such words; the centre without any. */
export function pointOf(text: string | undefined): Point {
  const [x = 50, y = 50] = (text?.match(/\d+/g) ?? []).map(Number)
  return { x: x / 100, y: y / 100 }
}
