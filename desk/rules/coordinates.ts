/** Degrees north and east. */
export type Coordinates = { lat: number; lng: number }

const NUMBER = '(-?\\d{1,3}(?:\\.\\d+)?)'
const PAIR = `${NUMBER}\\s*[,~_]\\s*${NUMBER}`
/** How maps write a place into their addresses: the place itself comes before the middle of the window. */
const FORMS = [
  new RegExp(`!3d${NUMBER}!4d${NUMBER}`),
  new RegExp(`[?&#]mlat=${NUMBER}&mlon=${NUMBER}`),
  new RegExp(`[?&]sp=point\\.${PAIR}`),
  new RegExp(
    `[?&](?:q|query|coordinate|latlng|daddr|destination|pin|ll|sll|center|cp|map)=(?:loc:)?${PAIR}`,
    'i',
  ),
  new RegExp(`^geo:${PAIR}`, 'i'),
  new RegExp(`/l/${PAIR}`),
  new RegExp(`@${PAIR}`),
  new RegExp(`#map=[\\d.]+/${NUMBER}/${NUMBER}`),
  new RegExp(`^\\s*${NUMBER}\\s*[,;\\s]\\s*${NUMBER}\\s*$`),
]
/** Two numbers with decimal commas, as they are written in Catalan and Spanish. */
const WITH_COMMAS = /^\s*(-?\d{1,3},\d+)\s*[;\s]\s*(-?\d{1,3},\d+)\s*$/
const ANGLE = `(\\d{1,3})\\s*°\\s*(?:(\\d{1,2})\\s*['′]\\s*)?(?:(\\d{1,2}(?:\\.\\d+)?)\\s*(?:"|″|'')\\s*)?`
/** Degrees, minutes and seconds. */
const ANGLES = new RegExp(`^\\s*${ANGLE}([NS])[\\s,]+${ANGLE}([EWO])\\s*$`, 'i')
/** Maps that write the longitude first. */
const LONGITUDE_FIRST = /^https?:\/\/(?:[\w-]+\.)*yandex\.[a-z.]+\//i

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An angle in degrees, to the seventh place: a centimetre. */
const angleOf = ([degrees, minutes, seconds]: (string | undefined)[], negative: boolean) => {
  const value = Number(degrees) + Number(minutes ?? 0) / 60 + Number(seconds ?? 0) / 3600
  return Number((negative ? -value : value).toFixed(7))
}

/** All pairs of numbers in a text that may be coordinates, the likeliest first. */
function* pairsIn(text: string): Generator<[number, number]> {
  const angles = ANGLES.exec(text)
  if (angles)
    yield [
      angleOf(angles.slice(1, 4), /s/i.test(angles[4]!)),
      angleOf(angles.slice(5, 8), /[wo]/i.test(angles[8]!)),
    ]
  const [, north, east] = WITH_COMMAS.exec(text) ?? []
  if (north !== undefined) yield [Number(north.replace(',', '.')), Number(east!.replace(',', '.'))]
  for (const form of FORMS) {
    const [, first, second] = form.exec(text) ?? []
    if (first === undefined) continue
    const pair: [number, number] = [Number(first), Number(second)]
    yield LONGITUDE_FIRST.test(text) ? [pair[1], pair[0]] : pair
  }
}

/** The coordinates in the link of a map, in two numbers, or in degrees and minutes. Undefined if there are none on earth. */
export function readCoordinates(text: string): Coordinates | undefined {
  for (const [lat, lng] of pairsIn(decoded(text)))
    if (Math.abs(lat) <= 90 && Math.abs(lng) <= 180) return { lat, lng }
  return undefined
}

/** Coordinates as they are typed. */
export const writeCoordinates = ({ lat, lng }: Coordinates): string => `${lat}, ${lng}`

/** A map of a place, to look whether it is the right one. */
export const mapOf = ({ lat, lng }: Coordinates): string =>
  `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
