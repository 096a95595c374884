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

/** What administrators chose of it, as the store keeps it. */
type Chosen = { name?: string; color?: string; logo_file?: string; links?: Link[]; confirmed?: boolean }

/** Gives the branding: the same object while nothing of it changes. */
export function openBranding(
  { siteName, siteLogo, siteColor, siteLinks, given }: BrandingSettings,
  { chosen }: { chosen: () => Chosen },
) {
  const isOpen = (name: string) => !given.includes(name)
  const isUnsaid = ['TIMEZONE', 'LANGUAGES', 'CURRENCY'].every(isOpen)
  let last: Chosen | undefined
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

/** A colour as its red, green and blue, each from 0 to 255. */
type Colour = readonly [number, number, number]

/** Reads `#b5341c` or `#b31`; undefined for anything else. */
export function readColour(text: string): Colour | undefined {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text)?.[1]
  if (digits === undefined) return undefined
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16)) as unknown as Colour
}

const printColour = (colour: Colour): string =>
  `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

/** Relative luminance (WCAG 2.2). */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

const BLACK: Colour = [0, 0, 0]
const WHITE: Colour = [255, 255, 255]

/** The colour, or the nearest one on the way to black or white, that text may have on a ground: a contrast of 4.5 (WCAG 2.2 §1.4.3). */
export function legible(colour: Colour, ground: Colour): string {
  const away = contrast(ground, BLACK) > contrast(ground, WHITE) ? BLACK : WHITE
  for (let step = 0; step < 20; step++) {
    const mixed = colour.map((part, at) => part + (away[at]! - part) * (step / 20)) as unknown as Colour
    if (contrast(mixed, ground) >= 4.5) return printColour(mixed)
  }
  return printColour(away)
}
