import { useEffect, useState } from 'preact/hooks'
import { pathOf, SITE, siteName } from '../../api/site.ts'
import { accentOn, GROUNDS, THEMES, type Theme, vanishesOn } from '../../rules/looks.ts'
import { today } from '../../rules/wall.ts'
import { clockText, monthText, weekdayText } from '../../words/dates.ts'
import { number, w } from '../../words/words.ts'
import type { Logo } from './logo.tsx'

/** Width in pixels to which a logo is drawn to look at its colours. */
const DRAWN = 96

/** The pixels of a picture; undefined if it can not be drawn. */
async function pixelsOf(src: string): Promise<Uint8ClampedArray | undefined> {
  const image = new Image()
  image.src = src
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = DRAWN
  canvas.height = Math.max(1, Math.round((DRAWN * image.naturalHeight) / image.naturalWidth))
  const context = canvas.getContext('2d')
  context?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return context?.getImageData(0, 0, canvas.width, canvas.height).data
}

/** The themes in which most of a logo can not be seen. */
function useVanishing(logo: string | undefined): Theme[] {
  const [found, setFound] = useState<{ logo: string; themes: Theme[] }>()
  useEffect(() => {
    if (logo === undefined) return
    pixelsOf(logo).then(
      (pixels) =>
        setFound({ logo, themes: THEMES.filter((one) => pixels && vanishesOn(pixels, GROUNDS[one])) }),
      () => {}, // a picture that this browser does not know is shown as it is
    )
  }, [logo])
  return found && found.logo === logo ? found.themes : []
}

/** Where the picture of a logo is, by the way in which the desk was reached. */
export const logoPath = (logo: Logo): string | undefined => logo && pathOf(logo.url)

/** How the calendar looks: its name, colour and logo. */
export type Looks = { name: string; color: string; logo: string | undefined }

/** The head of a page and a day of its list, as visitors will see them, in light and in dark. */
export function Look({ name, color, logo }: Looks) {
  const lost = useVanishing(logo)
  const day = today(Date.now(), SITE.zone)
  return (
    <section class="looks" aria-label={w.looks}>
      {THEMES.map((theme) => (
        <figure key={theme}>
          <figcaption>{w[`looks_${theme}`]}</figcaption>
          <div
            class="look themed"
            data-theme={theme}
            style={{ '--site-accent': accentOn(color, theme) }}
            aria-hidden="true"
          >
            <p class="look-top">
              {logo ? <img src={logo} alt="" /> : <strong>{name || siteName.get()}</strong>}
              <span class="here">{w.events}</span>
              <span>{w.month}</span>
            </p>
            <div class="look-day">
              <p>
                <b>{number(Number(day.slice(8)))}</b>
                <strong>{weekdayText(day, 'long')}</strong>
                <small>{monthText(day.slice(0, 7))}</small>
              </p>
              <p>
                <small>{clockText('19:30')}</small>
                <strong>{w.looks_event}</strong>
                <u>{w.looks_category}</u>
              </p>
            </div>
          </div>
          {lost.includes(theme) && (
            <p class={theme === 'light' ? 'error' : 'hint'} role="status">
              {w[`logo_lost_${theme}`]}
            </p>
          )}
        </figure>
      ))}
    </section>
  )
}
