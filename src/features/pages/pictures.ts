import type { MediaRow } from '../../calendar/formats/records.ts'
import { html, type Markup, type Part, textOf } from '../../kernel/text/markup.ts'
import { mediaPath, type View } from './page.ts'

/** Smaller versions that are cut to another shape; a browser must not choose them. */
const CUT = ['thumbnail']

/** How a picture is loaded. */
type Loading = {
  /** At once, because it is at the top of a page. */
  early?: boolean
  /** Pixels that are enough for it on any screen; it has no wider versions than one with as many. */
  enough?: number
  /** It has its alternative text. Without it, the picture only decorates. */
  isContent?: boolean
}

/** The alternative text of a picture in the language of a page, or else in the first language of the site that has one. */
export function altOf(
  { front, language }: Pick<View, 'front' | 'language'>,
  { alt_texts }: Pick<MediaRow, 'alt_texts'>,
): { text: string; language: string } | undefined {
  const found = [language, ...front.languages].find((one) => alt_texts[one] !== undefined)
  return found === undefined ? undefined : { text: alt_texts[found]!, language: found }
}

/** The alternative text as attributes; marked where it is in another language than the page. */
function described(view: View, image: MediaRow): Markup {
  const alt = altOf(view, image)
  if (!alt) return html` alt=""`
  return html` alt="${alt.text}"${alt.language !== view.language && html` lang="${alt.language}"`}`
}

/**
 * A picture in the width that a browser needs, as `sizes` says. In lists it decorates: it stands beside a link with the title, and
 * whoever hears the list would hear each entry twice. On the page of its record it is content, and has its alternative text.
 */
export function picture(
  view: View,
  image: MediaRow,
  sizes: string,
  { early, enough = Infinity, isContent }: Loading = {},
): Markup {
  const { front } = view
  const versions = Object.entries(image.sizes)
    .filter(([name]) => !CUT.includes(name))
    .map(([, version]) => version)
  const all = [...versions, image].sort((a, b) => a.width - b.width)
  const last = all.findIndex(({ width }) => width >= enough)
  const set = all
    .slice(0, last < 0 ? undefined : last + 1)
    .map(({ file, width }) => `${mediaPath(front, file)} ${width}w`)
    .join(', ')
  const { file } = all.find(({ width }) => width >= 640) ?? image
  return html`<img${focusOf(image)} src="${mediaPath(front, file)}" srcset="${set}" sizes="${sizes}" width="${image.width}" height="${image.height}"${isContent ? described(view, image) : html` alt=""`}${early ? html` fetchpriority="high"` : html` loading="lazy"`}>`
}

/** What the tag of a picture with a point of its own begins with. Text of others can not, as it is escaped or sanitised. */
const FOCUSED = '<img class="at '

/** Hundredths of a side between two classes. */
const STEP = 10
const STEPS = Array.from({ length: 100 / STEP + 1 }, (_, at) => at * STEP)

const near = (part: number) => Math.round((100 * part) / STEP) * STEP

/** The classes of a picture that is cut around another point than its centre, as the first attribute of its tag. */
function focusOf({ focal_point: point }: Pick<MediaRow, 'focal_point'>): Part {
  const [x, y] = point === null ? [50, 50] : [near(point.x), near(point.y)]
  return (x !== 50 || y !== 50) && html` class="at x${x} y${y}"`
}

/** Whether some markup shows a picture with a point of its own. */
export const isFocused = (markup: Markup): boolean => textOf(markup).includes(FOCUSED)

/** The rules of these classes, for pages with such a picture: the policy of pages allows no style in an attribute. */
export const FOCUS_RULES = [
  '.at{object-position:var(--x) var(--y)}',
  ...STEPS.flatMap((at) => [`.x${at}{--x:${at}%}`, `.y${at}{--y:${at}%}`]),
].join('')
