import type { MediaRow } from '../records.ts'
import { html, type Markup } from './markup.ts'
import { mediaPath, type View } from './view.ts'

/** Smaller versions that are cut to another shape; a browser must not choose them. */
const CUT = ['thumbnail']

/** How a picture is loaded. */
type Loading = {
  /** At once, because it is at the top of a page. */
  early?: boolean
  /** Pixels that are enough for it on any screen; it has no wider versions than one with as many. */
  enough?: number
}

/** A picture in the width that a browser needs, as `sizes` says. It is decorative: what it shows is told beside it. */
export function picture(
  { front }: View,
  image: MediaRow,
  sizes: string,
  { early, enough = Infinity }: Loading = {},
): Markup {
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
  return html`<img src="${mediaPath(front, file)}" srcset="${set}" sizes="${sizes}" width="${image.width}" height="${image.height}" alt=""${early ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async">`
}
