const { api, site, home, languages, zone, currency } = document.documentElement.dataset

/** What the service says about itself in the page of the desk. */
export const SITE = {
  /** Path of the API. */
  api: api!,
  name: site!,
  /** Path of the public pages; empty without pages. */
  home: home!,
  /** The languages of records; the first is the default. */
  languages: languages!.split(','),
  zone: zone!,
  currency: currency!,
}

/** The path of an address of this service, by which it is reached from wherever the desk was. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, location.href)
  return pathname + search
}
