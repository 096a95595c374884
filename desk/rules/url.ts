const LINKS = ['http:', 'https:', 'mailto:', 'tel:']
const PICTURES = ['http:', 'https:']

/** The scheme of an address as a browser reads it, also where it hides in spaces and capitals; that of the page for a relative one. */
function schemeOf(address: string): string | undefined {
  try {
    return new URL(address, 'https://calendar.invalid/').protocol
  } catch {
    return undefined
  }
}

/** Whether an address leads to a page, a mailbox or a telephone, and runs nothing: the addresses of links that the API keeps. */
export const isLink = (address: string): boolean => LINKS.includes(schemeOf(address) ?? '')
/** Whether an address may be that of a picture in a text. */
export const isPicture = (address: string): boolean => PICTURES.includes(schemeOf(address) ?? '')
