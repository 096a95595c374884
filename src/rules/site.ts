/** What the stores need to know of the configuration. */
export type Site = {
  /** Unix milliseconds (R6). */
  clock(): number
  zone: string
  currency: string
  /** The first one is the default. */
  languages: readonly string[]
}
