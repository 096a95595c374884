import { contrast, legible, readColour } from '../../src/calendar/branding.ts'

/** The two themes of pages. */
export const THEMES = ['light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The grounds of pages, on which a logo stands. */
export const GROUNDS = { light: readColour('#fbf8f2')!, dark: readColour('#171512')! }

/** The accent of pages in a theme, as the value of a property of CSS; `initial` for that of the style sheet. */
export function accentOn(colour: string, theme: Theme): string {
  const own = readColour(colour)
  return own ? legible(own, GROUNDS[theme]) : 'initial'
}

/** The contrast below which a shape can hardly be told from its ground. */
const HARDLY = 1.6

/**
 * Whether most of a picture can hardly be seen on a ground. `pixels` are red, green, blue and alpha of each. A picture without transparent
 * parts brings its own ground, and is seen on any.
 */
export function vanishesOn(pixels: ArrayLike<number>, ground: (typeof GROUNDS)[Theme]): boolean {
  let drawn = 0
  let lost = 0
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3]! / 255
    const seen = ground.map((part, index) => alpha * pixels[at + index]! + (1 - alpha) * part)
    drawn += alpha
    if (contrast(seen as unknown as typeof ground, ground) < HARDLY) lost += alpha
  }
  const isWhole = drawn > 0.95 * (pixels.length / 4)
  return !isWhole && lost > drawn / 2
}
