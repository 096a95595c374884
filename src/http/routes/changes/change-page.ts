import type { Json, SyncChange } from '../../../store/store.ts'

const END = Buffer.from('}')

/** The JSON of changes: the body of a response, or the data of a message. */
export function composeChanges(changes: SyncChange[], has_more: boolean, next_sync_token: string): Json {
  const json: Json = [Buffer.from('{"changes":[')]
  for (const [at, { kind, id, operation, record }] of changes.entries()) {
    const head = JSON.stringify({ kind, id, operation })
    json.push(Buffer.from((at > 0 ? ',' : '') + (record ? `${head.slice(0, -1)},"record":` : head)))
    if (record) json.push(...record, END)
  }
  json.push(Buffer.from(`],${JSON.stringify({ has_more, next_sync_token }).slice(1)}`))
  return json
}
