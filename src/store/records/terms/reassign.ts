import { and, eq } from 'drizzle-orm'
import { links, posts } from '../../../../drizzle/tables.ts'
import type { TermRow } from '../../../formats/records.ts'
import { invalid } from '../../../support/errors.ts'
import { linksOf, setLinks } from '../projection/links.ts'
import { project } from '../projection/project.ts'
import type { Write } from '../write.ts'
import { findTermById } from './term-keys.ts'

/** Gives all events of a term to another one of its kind, also those in the trash. An event that has both keeps one. Throws 400 if there is no other. */
export async function reassignEvents(w: Write, { id, taxonomy, name }: TermRow, heir: number) {
  const other = heir === id ? undefined : await findTermById(w.tx, taxonomy, heir)
  if (!other)
    throw invalid({ reassign: `must be the ID of another ${taxonomy}, which the events of "${name}" get.` })
  const linked = and(eq(links.kind, taxonomy), eq(links.target_id, id))
  const events = await w.tx
    .select({ post: posts })
    .from(links)
    .innerJoin(posts, eq(posts.id, links.event_id))
    .where(linked)
  for (const { post } of events) {
    const refs = await linksOf(w.tx, post.id)
    const after = [...new Set(refs[taxonomy].map((one) => (one === id ? heir : one)))]
    await setLinks(w.tx, post.id, taxonomy, refs[taxonomy], after)
    await project(w, 'post', { before: { post, refs }, after: { post } })
  }
}
