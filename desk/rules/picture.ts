/** A point of a picture: parts of its width and height, from 0 to 1. */
export type Point = { x: number; y: number }

const within = (part: number) => Math.min(100, Math.max(0, Math.round(100 * part)))

/** A point in words, as forms keep it: hundredths of the width and the height. A point beyond an edge is on it. */
export const textOfPoint = ({ x, y }: Point): string => `${within(x)} %, ${within(y)} %`

/** The point of such words; the centre without any. */
export function pointOf(text: string | undefined): Point {
  const [x = 50, y = 50] = (text?.match(/\d+/g) ?? []).map(Number)
  return { x: x / 100, y: y / 100 }
}

/** The alternative texts of a picture as they are edited, by the names of their fields, empty where there is none, and its focal point. */
export type AltForm = Record<string, string>

const FIELD = 'alt_'
/** The name of the field for the focal point. */
export const FOCAL_POINT = 'focal_point'

/** The name of the field for the text in a language. */
export const altField = (language: string): string => FIELD + language

/** The language of the text in a field; undefined for a field of something else. */
export const altLanguage = (field: string): string | undefined =>
  field.startsWith(FIELD) ? field.slice(FIELD.length) : undefined

/** A picture as it is edited, with its texts in the languages of the site. */
export const toAltForm =
  (languages: readonly string[]) =>
  ({ alt_texts, focal_point }: { alt_texts: Record<string, string>; focal_point: Point }): AltForm => ({
    ...Object.fromEntries(languages.map((language) => [altField(language), alt_texts[language] ?? ''])),
    [FOCAL_POINT]: textOfPoint(focal_point),
  })

/** The body for the fields that an editor has changed: an empty text removes one. */
export function toAltBody(form: AltForm, names: readonly string[]) {
  const texts = names.filter((name) => name !== FOCAL_POINT)
  return {
    ...(texts.length > 0 && {
      alt_texts: Object.fromEntries(texts.map((name) => [altLanguage(name)!, form[name]!])),
    }),
    ...(names.includes(FOCAL_POINT) && { focal_point: pointOf(form[FOCAL_POINT]) }),
  }
}

/** Of what the API says about alternative texts, the sentence about one language, without its code. */
export const altError = (said: string | undefined, language: string): string | undefined =>
  said
    ?.split(/(?<=\.) /)
    .find((sentence) => sentence.startsWith(`${language} `))
    ?.slice(language.length + 1)
