/** Categories and tags, which differ in the parent. */
export type TermKind = 'category' | 'tag'
/** The paths of their lists, which are also the names of their parts of the desk. */
export const PLURAL = { category: 'categories', tag: 'tags' } as const

/** A category or a tag as a response of the API has it. */
export type TermRecord = {
  id: number
  name: string
  slug: string
  description: string
  /** Published events with it. */
  count: number
  parent?: number
  language: string
  translations: Record<string, number>
  url: string
}

/** A category or a tag as it is edited. */
export type TermForm = { name: string; slug: string; description: string; parent: string; language: string }

/** A record as it is edited. */
export const toTermForm = ({ name, slug, description, parent = 0, language }: TermRecord): TermForm => ({
  ...{ name, slug, description, language },
  parent: String(parent),
})

/** A category or a tag that nobody has written yet. */
export const emptyTerm = (parent: string, language: string): TermForm => ({
  ...{ name: '', slug: '', description: '', parent, language },
})

/** The members of a body for the names that an editor has changed. A tag has no parent, and an empty slug is made of the name. */
export const toTermBody =
  (kind: TermKind) =>
  (form: TermForm, names: readonly (keyof TermForm)[]): Record<string, unknown> => {
    const body: Record<string, unknown> = {}
    for (const name of names) {
      if (name === 'language') body.i18n_language = form.language
      else if (name === 'parent') Object.assign(body, kind === 'category' && { parent: Number(form.parent) })
      else if (name !== 'slug' || form.slug.trim() !== '') body[name] = form[name]
    }
    return body
  }

/** The field of the form that shows an error of a member of a request. */
export const termFieldOf = (member: string): string => (member === 'i18n_language' ? 'language' : member)
