/** The ID of a calendar in an address, which Google writes in base64 where people share one. */
function calendarIn(id: string): string {
  const text = Buffer.from(id, 'base64').toString()
  return id.includes('@') || !/^[\w.+#%-]+@[\w.-]+$/.test(text) ? id : text
}

/** The address of the feed of a public calendar of Google, for those at which people see, embed or share it; any other as it is. */
export function feedAddress(address: string): string {
  const { hostname, pathname, searchParams } = new URL(address)
  if (!/^(?:calendar|www)\.google\.com$/.test(hostname) || !pathname.startsWith('/calendar')) return address
  const id = searchParams.get('src') ?? searchParams.get('cid')
  if (!id) return address
  if (/^(?:https?|webcal):/i.test(id)) return id.replace(/^(?:webcal|http):/i, 'https:')
  return `https://calendar.google.com/calendar/ical/${encodeURIComponent(calendarIn(id))}/public/basic.ics`
}
