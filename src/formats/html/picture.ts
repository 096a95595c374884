import type { MediaRow } from '../records.ts'
import { html, type Markup } from './markup.ts'
import { mediaPath, type View } from './view.ts'

/** Smaller versions that are cut to another shape; a browser must not choose them. */
const CUT = ['thumbnail']

/**
 * A picture in the width that a browser needs, as `sizes` says. It is decorative: what it shows is told beside it. `early` is for one at
 * the top of a page.
 */
export function picture({ front }: View, image: MediaRow, sizes: string, early = false): Markup {
  const versions = Object.entries(image.sizes)
    .filter(([name]) => !CUT.includes(name))
    .map(([, version]) => version)
  const all = [...versions, image].sort((a, b) => a.width - b.width)
  const set = all.map(({ file, width }) => `${mediaPath(front, file)} ${width}w`).join(', ')
  const { file } = all.find(({ width }) => width >= 640) ?? image
  return html`<img src="${mediaPath(front, file)}" srcset="${set}" sizes="${sizes}" width="${image.width}" height="${image.height}" alt=""${early ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async">`
}
