/** The icons of the desk: strokes on a square of 24, drawn for it. */
const PATHS = {
  events: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  month: 'M4 6h16v14H4zM4 10.5h16M8.5 3.5V6M15.5 3.5V6M8 14h2M14 14h2M8 17h2',
  week: 'M4 5h16v14H4zM9.3 5v14M14.7 5v14M4 9h16',
  submissions: 'M4 13l3-8h10l3 8v6H4zM4 13h5c0 3.5 6 3.5 6 0h5',
  changes: 'M4.5 12a7.5 7.5 0 1 0 2.6-5.7M4.5 4.5v4h4M12 8v4.3l3 1.7',
  venues:
    'M12 21c-4-4.6-6.5-7.7-6.5-11a6.5 6.5 0 0 1 13 0c0 3.3-2.5 6.4-6.5 11zM12 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  organizers: 'M4 20V9l8-5 8 5v11zM9.5 20v-6h5v6M9.5 10.5h5',
  categories: 'M5 4v14h5M5 9h5M10 6.5h9v5h-9zM10 15.5h9v5h-9z',
  tags: 'M4 4h8l8.5 8.5-8 8L4 12zM8.2 8.2h.01',
  pictures: 'M4 5h16v14H4zM4 16.5l4.5-4.5 4 4 3-3 4.5 4.5M15.5 9h.01',
  users:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.6 2.9-5.5 6.5-5.5s6.5 1.9 6.5 5.5M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.9c2.2.7 3.5 2.5 3.5 5.1',
  digest: 'M3.5 5.5h17v13h-17zM3.5 6.5L12 13l8.5-6.5',
  webhooks: 'M10 14l-3 3a3.5 3.5 0 0 1-5-5l3-3M14 10l3-3a3.5 3.5 0 0 1 5 5l-3 3M9 15l6-6',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM9 19.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z',
  audit: 'M6 3.5h9l3.5 3.5v13.5H6zM9 11h6.5M9 15h6.5M9 7.5h3',
  account: 'M12 12.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c0-3.5 3-5.5 7.5-5.5s7.5 2 7.5 5.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  site: 'M14 4h6v6M20 4l-9 9M11 5H5v14h14v-6',
  leave: 'M10 4H5v16h5M10 12h10M16.5 8.5L20 12l-3.5 3.5',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  fold: 'M9 5.5l6.5 6.5L9 18.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.3 15.3L20.5 20.5',
} as const

/** What an icon is of. */
export type IconName = keyof typeof PATHS

/** An icon beside words that say the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
