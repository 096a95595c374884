import { send } from '../api/client.ts'
import { language } from '../words/words.ts'
import type { Described } from './alt-texts.tsx'

/** A picture of the library. */
export type Media = Described & {
  url: string
  date_utc: string
  width: number
  height: number
  filesize: number
  sizes: Record<string, { url: string; width: number; height: number }>
}

/** The address of a picture in a size that suits a form. */
export const urlOf = ({ url, sizes }: Pick<Media, 'url' | 'sizes'>, size = 'medium') =>
  sizes?.[size]?.url ?? url

/** Uploads a picture. */
export const upload = async (file: File): Promise<Media> =>
  (await send<Media>('POST', '/media', { body: file })).body

/** What a picture shows, in the language of the desk or another one. */
export const altOf = ({ alt_texts }: Described): string =>
  alt_texts[language.get()] || (Object.values(alt_texts).find(Boolean) ?? '')

/** What has a word in it that can be looked for. */
const WORD = /[\p{L}\p{N}]/u
/** The parameter of a search in pictures; undefined for signs alone. */
export const searched = (text: string): string | undefined => (WORD.test(text) ? text.trim() : undefined)
