import { type Problems, refuse } from '../../errors.ts'
import type { Post } from '../../formats/v1.ts'
import type { Queries } from '../sqlite/db.ts'
import { agrees, type LinkedKind, namesakes } from './namesakes.ts'
import { checkAuthor, checkNotInTrash, editable, type Key, seekPost } from './posts.ts'
import { checkPostInput } from './references.ts'
import type { PostInput, Write } from './write.ts'

/** What is particular to the writes of venues or of organizers. */
type Particular<I> = {
  kind: LinkedKind
  nameOf(input: I): string
  /** What is stored beside `posts`, by the names that inputs have. */
  stored(tx: Queries, id: number): Promise<Record<string, unknown>>
  /** Writes a record, a new one without `self`; what the input names was checked. */
  save(w: Write, input: I, self?: Post): Promise<Post>
}

/** Writes of venues or organizers: the two differ only in their own columns. */
export const openLinkedWrites = <I extends PostInput>({ kind, nameOf, stored, save }: Particular<I>) => ({
  /** What is wrong with the records that an input names. */
  check: (w: Write, input: I, self?: Post): Promise<Problems> => checkPostInput(w, kind, input, self),
  async create(w: Write, input: I): Promise<number> {
    refuse(await checkPostInput(w, kind, input))
    checkAuthor(w.caller, input.author)
    return (await save(w, input)).id
  },
  async update(w: Write, key: Key, input: I): Promise<number> {
    const found = await seekPost(w.tx, kind, key, w.caller)
    refuse(await checkPostInput(w, kind, input, found))
    const post = editable(w.caller, kind, key, 'change', found)
    checkNotInTrash(post, input.status)
    checkAuthor(w.caller, input.author, post)
    return (await save(w, input, post)).id
  },
  /** The record meant by one that is given inside an event: an existing one of the same name, or a new one (D31). */
  async inline(w: Write, input: I): Promise<number> {
    for (const post of await namesakes(w, kind, nameOf(input)))
      if (agrees(w, input, post, await stored(w.tx, post.id))) return post.id
    return (await save(w, input)).id
  },
})
