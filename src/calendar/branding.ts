import type { Store } from './store.ts'

/** A link of the operator: its text, and an address of the web or a path of this host. */
export type Link = { text: string; url: string }

const ADDRESS = /^(?:\/(?!\/)\S*|(?:https?:\/\/|mailto:)\S+)$/

/**
 * Reads links as settings write them: a text and its address with a space between, separated by semicolons. Undefined if one of them lacks a
 * text, or an address that is allowed: http, https, mailto, or a path.
 */
export function readLinks(value: string): Link[] | undefined {
  const links: Link[] = []
  for (const entry of value.split(';').map((one) => one.trim())) {
    if (entry === '') continue
    const [, text, url] = /^(.*\S)\s+(\S+)$/s.exec(entry) ?? []
    if (text === undefined || !ADDRESS.test(url!)) return undefined
    links.push({ text, url: url! })
  }
  return links
}

/** What the environment sets of how a site shows itself. `given` are the variables that are set. */
export type BrandingSettings = {
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
export type Branding = {
  name: string
  color: string
  /** The path of a picture in the library; undefined for the file of the environment, or none. */
  logo: string | undefined
  links: readonly Link[]
  /** Whether an administrator is asked for time zone, currency and language: nobody said anything of them yet. */
  asks: boolean
}

/** Gives the branding: the same object while nothing of it changes. */
export function openBranding(
  { siteName, siteLogo, siteColor, siteLinks, given }: BrandingSettings,
  { chosen }: Pick<Store['settings'], 'chosen'>,
) {
  const isOpen = (name: string) => !given.includes(name)
  const isUnsaid = ['TIMEZONE', 'LANGUAGES', 'CURRENCY'].every(isOpen)
  let last: ReturnType<typeof chosen> | undefined
  let current: Branding
  return (): Branding => {
    const now = chosen()
    if (now === last) return current
    last = now
    current = {
      name: (isOpen('SITE_NAME') && now.name) || siteName,
      color: (isOpen('SITE_COLOR') && now.color) || siteColor,
      logo: siteLogo ? undefined : now.logo_file,
      links: isOpen('SITE_LINKS') ? (now.links ?? []) : readLinks(siteLinks)!,
      asks: isUnsaid && !now.confirmed,
    }
    return current
  }
}
