import type { Store } from '../../calendar/store.ts'
import { type Link, readLinks } from './links.ts'

/** What the environment sets of how a site shows itself. `given` are the variables that are set. */
export type LookSettings = {
  siteName: string
  /** Paths of files; empty for none. */
  siteLogo: string
  /** As in CSS, `#b5341c`; empty for that of the style sheet. */
  siteColor: string
  /** As `readLinks` reads them. */
  siteLinks: string
  given: readonly string[]
}

/** How a site shows itself: what the environment sets, else what administrators chose, else the defaults. */
export type Look = {
  name: string
  color: string
  /** The path of a picture in the library; undefined for the file of the environment, or none. */
  logo: string | undefined
  links: readonly Link[]
  /** Whether an administrator is asked for time zone, currency and language: nobody said anything of them yet. */
  asks: boolean
}

/** Gives the look: the same object while nothing of it changes. */
export function openLook(
  { siteName, siteLogo, siteColor, siteLinks, given }: LookSettings,
  { chosen }: Pick<Store['settings'], 'chosen'>,
) {
  const isOpen = (name: string) => !given.includes(name)
  const isUnsaid = ['TIMEZONE', 'LANGUAGES', 'CURRENCY'].every(isOpen)
  let last: ReturnType<typeof chosen> | undefined
  let look: Look
  return (): Look => {
    const now = chosen()
    if (now === last) return look
    last = now
    look = {
      name: (isOpen('SITE_NAME') && now.name) || siteName,
      color: (isOpen('SITE_COLOR') && now.color) || siteColor,
      logo: siteLogo ? undefined : now.logo_file,
      links: isOpen('SITE_LINKS') ? (now.links ?? []) : readLinks(siteLinks)!,
      asks: isUnsaid && !now.confirmed,
    }
    return look
  }
}
