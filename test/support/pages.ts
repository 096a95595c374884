import type { Answer, Api } from './app.ts'

/** What a browser asks for. */
export const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } }

/** Asks for a page as a browser does. `path` begins at the host. */
export const visit = ({ anonymous }: Api, path: string): Promise<Answer> =>
  anonymous.get(`/${path}`, undefined, BROWSER)

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const decode = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!)

/** The text of the elements that match, without tags, such as `textsOf(page, 'h3')`. */
export const textsOf = (html: string, element: string): string[] =>
  [...html.matchAll(new RegExp(`<${element}\\b[^>]*>(.*?)</${element}>`, 'gs'))].map(([, inner]) =>
    decode(inner!.replace(/<[^>]*>/g, '')).trim(),
  )

/** The values of an attribute of all elements of a kind. */
export const attributesOf = (html: string, element: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<${element}\\b[^>]*? ${name}="([^"]*)"`, 'g'))].map(([, value]) =>
    decode(value!),
  )
