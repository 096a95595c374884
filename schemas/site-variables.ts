/** The settings of a site that can be stored, and the variables of the environment that win over them. */
export const VARIABLES = {
  name: 'SITE_NAME',
  logo: 'SITE_LOGO',
  color: 'SITE_COLOR',
  links: 'SITE_LINKS',
  timezone: 'TIMEZONE',
  currency: 'CURRENCY',
  languages: 'LANGUAGES',
} as const

/** Greatest number of links at the end of pages. */
export const MOST_LINKS = 10
