/** Degrees north and east. */
export type Coordinates = { lat: number; lng: number }

const NUMBER = '(-?\\d{1,3}(?:\\.\\d+)?)'
/** How maps write a place into their addresses: the place itself comes before the middle of the window. */
const FORMS = [
  new RegExp(`!3d${NUMBER}!4d${NUMBER}`),
  new RegExp(`[?&]mlat=${NUMBER}&mlon=${NUMBER}`),
  new RegExp(
    `[?&](?:q|query|ll|sll|daddr|destination|center|cp)=(?:loc:)?${NUMBER}(?:,|%2C|~)\\s*${NUMBER}`,
    'i',
  ),
  new RegExp(`^geo:${NUMBER},${NUMBER}`, 'i'),
  new RegExp(`@${NUMBER},${NUMBER}`),
  new RegExp(`#map=[\\d.]+/${NUMBER}/${NUMBER}`),
  new RegExp(`^\\s*${NUMBER}\\s*[,;\\s]\\s*${NUMBER}\\s*$`),
]

/** The coordinates in the link of a map, or in two numbers. Undefined if there are none on earth. */
export function readCoordinates(text: string): Coordinates | undefined {
  for (const form of FORMS) {
    const [, lat, lng] = form.exec(text) ?? []
    if (lat === undefined || Math.abs(Number(lat)) > 90 || Math.abs(Number(lng)) > 180) continue
    return { lat: Number(lat), lng: Number(lng) }
  }
  return undefined
}
