import type { SourceChange } from '../site/import.ts'
import { below, MOST_PAGES, PLURALS } from '../site/source.ts'
import { idOf, objectsOf, type Shown } from '../site/taken.ts'
import { type Answer, failed, type Web } from '../site/web.ts'

/** What changed at a source, and the token that asks for what changes after it. */
export type Told = { changes: SourceChange[]; token: string; hasMore: boolean }

const KINDS = Object.keys(PLURALS) as SourceChange['kind'][]
/** As many as an Almanac tells at once. */
const MOST = '500'

/** What `GET /changes` answers; undefined if it is no answer of an Almanac. */
function readTold({ status, body }: Answer): Told | undefined {
  const { changes, has_more, next_sync_token: token } = { ...(body as Shown) }
  if (status !== 200 || typeof token !== 'string') return undefined
  const told = objectsOf(changes).flatMap(({ kind, id, record }): SourceChange[] => {
    const own = KINDS.find((one) => one === kind)
    const [shown] = objectsOf(record)
    return own !== undefined && idOf(id) > 0
      ? [{ kind: own, id: idOf(id), ...(shown && { record: shown }) }]
      : []
  })
  return { changes: told, token, hasMore: has_more === true }
}

/** A page for people is no answer of an Almanac. Other errors are thrown. */
function orNone(error: object): Answer {
  if (!('isPage' in error)) throw error
  return { status: 404, body: undefined }
}

/** Follows what changes at a source, if that is an Almanac; for one look. */
export function openChanges(web: Web, root: string) {
  let asked = 0
  const ask = (query: Record<string, string>) => {
    if (++asked > MOST_PAGES)
      throw failed(`${root}/changes has more than ${MOST_PAGES} pages, and the next look goes on after these`)
    return web.get(below(root, 'changes', { per_page: MOST, ...query }))
  }

  return {
    /** Whether the source tells what changes. */
    async isTold(): Promise<boolean> {
      const names = { _fields: 'has_more,next_sync_token', per_page: '1' }
      const answer = await ask(names).catch(orNone)
      return readTold(answer) !== undefined
    },
    /** A token for what changes from now on; undefined if the source tells no changes. */
    async begin(): Promise<string | undefined> {
      // records are left out of the answers: lists are read by their pages, which say whether they changed
      const names = { _fields: 'has_more,next_sync_token' }
      const first = await ask({ ...names, kind: KINDS.join() }).catch(orNone)
      let told = readTold(first)
      while (told?.hasMore) told = readTold(await ask({ ...names, sync_token: told.token }))
      return told?.token
    },
    /** What changed since a token; `ended` if the source takes the token no more. */
    async since(token: string): Promise<Told | 'ended'> {
      const answer = await ask({ sync_token: token })
      if (answer.status === 410 || answer.status === 400) return 'ended'
      const told = readTold(answer)
      if (!told) throw failed(`${root}/changes answers ${answer.status} without a sync token`)
      return told
    },
  }
}
