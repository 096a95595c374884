import { and, eq, ne } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import { canRead } from '../../kernel/access/roles.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { fold } from '../../kernel/text/text.ts'
import type { Post } from '../formats/records.ts'
import { linkedFields, withInherited } from './facts/facts.ts'
import { checkPostInput, shownOf, withoutReturned } from './input.ts'
import { checkAuthor, checkNotInTrash, editable, findOwned, type Key, seekPost } from './posts.ts'
import { findByExternal } from './projection/externals.ts'
import type { PostInput, Write } from './write.ts'

/** The differences between writes of venues and of organizers. */
type KindOf<I> = {
  kind: LinkedKind
  nameOf(input: I): string
  /** The columns stored outside `posts`, by the names of the input. */
  stored(tx: Queries, id: number): Promise<Record<string, unknown>>
  /** The row of the record in its own table. */
  rowOf(tx: Queries, id: number): Promise<object>
  /** Conflicts of an input with the stored record. */
  conflicts?(input: I, stored?: Record<string, unknown>): Problems
  /** Writes a record; without `self` a new one. Records in the input were checked before. */
  save(w: Write, input: I, self?: Post): Promise<Post>
}

/** Writes of venues or organizers, which differ only in their own columns. */
export function openLinkedWrites<I extends PostInput>(particular: KindOf<I>) {
  const { kind, nameOf, stored, rowOf, conflicts: misfit, save } = particular
  /** Reads an input for the record with a key, or for a new one: the members that change something, and all problems. */
  async function readInput(w: Write, sent: I, key?: Key) {
    const found = key && (await seekPost(w.tx, kind, key, w.caller))
    const own = found && (await stored(w.tx, found.id))
    const input = found ? withoutReturned(w, sent, { ...shownOf(found), [kind]: found.title, ...own }) : sent
    const problems: Problems = { ...(await checkPostInput(w, kind, input, found)), ...misfit?.(input, own) }
    return { found, input, problems }
  }

  const membersOf = async ({ tx }: Write, { id, description, image_id: image }: Post) => ({
    ...(await stored(tx, id)),
    ...{ description, image },
  })

  return {
    rowOf,
    /** Problems with the records that an input refers to, and conflicts with the stored record. */
    check: async (w: Write, sent: I, key?: Key): Promise<Problems> => (await readInput(w, sent, key)).problems,
    async create(w: Write, sent: I): Promise<number> {
      const facts = async (post: Post) => linkedFields(post, await rowOf(w.tx, post.id))
      const { input, problems } = await readInput(w, await withInherited(w, kind, sent, facts))
      refuse(problems)
      checkAuthor(w.caller, input.author)
      return (await save(w, input)).id
    },
    async update(w: Write, key: Key, sent: I): Promise<number> {
      const { found, input, problems } = await readInput(w, sent, key)
      refuse(problems)
      const post = editable(w.caller, kind, key, 'change', found)
      checkNotInTrash(post, input.status)
      checkAuthor(w.caller, input.author, post)
      return (await save(w, input, post)).id
    },
    /** The record for one inside an event: an existing one of the same name, or a new one (D31). */
    async inline(w: Write, input: I): Promise<number> {
      const known = await findByExternalId(w, kind, input)
      if (known !== undefined) return known
      if (input.external_id) return (await save(w, input)).id
      for (const post of await namesakes(w, kind, nameOf(input)))
        if (agrees(w, input, post, await membersOf(w, post))) return post.id
      return (await save(w, input)).id
    },
    /** The record of the same name that has nothing else where it has something; undefined if there is none. */
    async completedBy(w: Write, input: I): Promise<number | undefined> {
      for (const post of await namesakes(w, kind, nameOf(input))) {
        const members = Object.entries(await membersOf(w, post))
        const filled = Object.fromEntries(members.filter(([, value]) => value !== '' && value !== null))
        if (agrees(w, input, post, filled)) return post.id
      }
      return undefined
    },
  }
}

/** The kinds of records that events are linked to. */
export type LinkedKind = 'venue' | 'organizer'

/** The record that another system calls as an input says, if it may be linked to. */
async function findByExternalId(w: Write, kind: LinkedKind, { source, external_id }: PostInput) {
  if (!source || !external_id) return undefined
  const id = await findByExternal(w.tx, kind, { source, external_id })
  const post = id === undefined ? undefined : await findOwned(w.tx, kind, id)
  return post && post.status !== 'trash' && canRead(w.caller, post) ? id : undefined
}

/** Records of this name (without case and accents) that the caller may read and that are not in the trash, oldest first (D31). */
async function namesakes(w: Write, kind: LinkedKind, name: string): Promise<Post[]> {
  const same = and(eq(posts.kind, kind), eq(posts.folded_title, fold(name)), ne(posts.status, 'trash'))
  const rows = await w.tx.select().from(posts).where(same).orderBy(posts.id)
  return rows.filter((post) => canRead(w.caller, post))
}

/** Whether an input contradicts none of the members of a record; only then is that of the same name reused (D31). */
function agrees(
  w: Write,
  sent: Record<string, unknown>,
  post: Post,
  texts: Record<string, unknown>,
): boolean {
  return Object.entries(sent).every(([name, value]) => {
    if (!(name in texts) || value === undefined || value === null) return true
    if (name === 'image') return imageId(w, value as { id: number } | { url: string }) === post.image_id
    return typeof value === 'string' ? fold(value) === fold(String(texts[name])) : value === texts[name]
  })
}
const imageId = (w: Write, image: { id: number } | { url: string }) =>
  'id' in image ? image.id : w.pictures.get(image.url)
