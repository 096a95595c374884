import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { parse as parseDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { extend, LanguageSelector } from '../../../schemas/common.ts'
import {
  IMPORT_TYPES,
  ImportOptions,
  MOST_SHOWN,
  type ImportOptions as Options,
} from '../../../schemas/imports.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import type { Store } from '../../calendar/store.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { ApiError, missing } from '../../kernel/errors.ts'
import { FORM_TYPE, JSON_TYPE, MAX_UPLOAD, readParts } from '../../kernel/input/bodies.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { EVENT_STREAM, jsonOrMessages, message, prefersStream } from '../../kernel/output/negotiation.ts'
import { errorBody, toApiError } from '../../kernel/server/errors.ts'
import { inTurns } from '../../kernel/tasks/scheduler.ts'
import { decode, importEvents } from './files/event-files.ts'
import type { WriteOptions } from './files/event-writer.ts'
import type { Entry } from './files/items.ts'
import { undoImport } from './removals.ts'
import { IMPORTS_RIGHTS } from './rights.ts'
import type { ImportRun } from './store.ts'

const AREA = {
  tag: 'Imports',
  permission: { right: IMPORTS_RIGHTS['import events'], to: 'import events' },
} as const

/** Seconds after which a service that stopped may be back. */
const RETRY_AFTER = 10
const BROKEN_OFF = `The import was broken off, because the service stops. What was taken stays; send the file again in ${RETRY_AFTER} seconds.`

/** What is answered: the report, or messages of how far the import has come and then the report. */
const CONTENT = jsonOrMessages(
  'ImportReport',
  'Messages `progress` say how many events were looked at (`done`) of how many (`total`). The last message is `report`, whose data is an ImportReport, or `failure` with an ErrorBody.',
)

/** Records that stayed and are named. */
const NAMED = 1_000

/** The name of what an import was from, and whether that is a file. */
function fromOf({ source }: Pick<ImportRun, 'source'>) {
  const isFile = source.startsWith('file:')
  return { from: isFile ? source.slice('file:'.length) : source, kind: isFile ? 'file' : 'site' }
}

const showRun = ({ source, id, began_utc, ended_utc, counts }: ImportRun) =>
  shown({ id, ...fromOf({ source }), began_utc, ended_utc, counts })

/** An entry by a kind that clients know: other ones came later. */
const showEntry = (entry: Entry) =>
  entry.kind === 'venue' || entry.kind === 'organizer' ? { ...entry, kind: 'line' } : entry

const showReport = (
  { run, counts, first, told, troubles, left_out }: Awaited<ReturnType<typeof importUpload>>,
  from: string,
) => ({
  ...(run > 0 && { id: run }),
  from,
  dry_run: run === 0,
  counts,
  first: first.map(showEntry),
  troubles: told.map(showEntry),
  troubles_total: troubles,
  left_out,
})

/** Imports of files of events: what they would bring, bringing it, the list of imports, and taking one back. */
export const importRoutes = family('imports', async (app, service) => {
  const { store } = service
  const { add, list, paramsOf } = openCollection(app, service, { ...AREA, ids: { id: 'import' } })
  const querystring = extend(ImportOptions, LanguageSelector(service.site.languages))

  await app.register(async (scope) => {
    scope.removeContentTypeParser([JSON_TYPE, FORM_TYPE, '*'])
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_UPLOAD }, (_request, body, done) =>
      done(null, body),
    )
    scope.route({
      method: 'POST',
      url: '/imports',
      bodyLimit: MAX_UPLOAD,
      config: { operation: 'update', permission: AREA.permission },
      schema: {
        operationId: 'createImport',
        tags: [AREA.tag],
        summary: 'Import a file of events, or see what would come',
        description:
          'Send iCalendar or CSV as it is, with `Content-Disposition: attachment; filename="name.csv"`, or as the file of a multipart form. Each event is written as a request would write it, and what can not be taken is named with its reason. An event that came with an earlier import is updated. A file has at most 10 MiB; `almanac import` on the command line has no limit. A request that is ended early ends the import: what was taken stays, and the same file goes on where it stopped.\n\nWith `Accept: text/event-stream` it is told how far the import has come. Requires the role `editor`.',
        querystring,
        'x-upload': { component: 'ImportUpload', types: Object.keys(IMPORT_TYPES) },
        ...responses('update', 'ImportReport', ['rest_missing_callback_param'], {
          except: ['rest_invalid_json'],
        }),
        response: {
          200: { description: 'What came of the file, or how far it has come.', content: CONTENT },
        },
      },
      async handler(request, reply) {
        const file = await readFile(request)
        const { i18n_language, ...options } = request.query as Options & { i18n_language?: string }
        const language = i18n_language ?? service.language(request) ?? service.site.languages[0]!
        const writer = { caller: request.caller, by: actorOf(request), language }
        const importFile = (progress?: WriteOptions['progress']) =>
          app.whileConnected(reply, async (signal) => {
            const imported = await importUpload(store, file, options, {
              ...{ pictures: service.pictures, writer, signal, progress },
            })
            if (signal.aborted) throw new ApiError('rest_not_ready', BROKEN_OFF, { retry_after: RETRY_AFTER })
            return showReport(imported, file.name)
          })
        if (prefersStream(request.raw)) return sendProgress(request, reply, importFile)
        return bodyOf(request, reply.header('cache-control', 'no-store'), [
          Buffer.from(JSON.stringify(await importFile())),
        ])
      },
    })
  })

  list({
    kind: 'import',
    plural: 'imports',
    url: '/imports',
    operationId: 'listImports',
    summary: 'List imports',
    description:
      'Returns the imports of files and of other calendars, the latest first, also those of the command line. Requires the role `editor`.',
    errors: ['import-archive-page-not-found'],
    answer: 'ImportPage',
    async find(paging) {
      const { rows, total } = await store.imports.runs(paging)
      return { rows: rows.map(showRun), total }
    },
  })
  add({
    method: 'POST',
    url: '/imports/:id/undo',
    operation: 'update',
    operationId: 'undoImport',
    summary: 'Take back what an import made',
    description:
      'Moves the events, series, venues and organizers that the import made to the trash, and deletes its categories and tags. What was edited here since stays, and so does what events that stay refer to; both are named. What the import changed stays as it is. Requires the role `editor`.',
    errors: ['import-not-found'],
    except: ['rest_unsupported_media_type', 'rest_bad_request'],
    answer: 'ImportUndone',
    async handle(request) {
      const writer = { caller: request.caller, by: actorOf(request), language: service.site.languages[0]! }
      const undone = await undoImport(store, writer, paramsOf(request).id)
      if (undone === undefined) throw new ApiError('import-not-found', 'There is no such import.')
      const { run: id, source, counts, stayed } = undone
      return { id, from: fromOf({ source }).from, counts, stayed: stayed.slice(0, NAMED) }
    },
  })
})

/** A file as it came. */
type ImportFile = { bytes: Uint8Array; name: string; form: 'ics' | 'csv' }

/** Rows of a table that are held in memory at once for a request. */
const MOST_ROWS = 100_000

/** Imports a file, or tells what would come, with its first records. Throws what is wrong with the file as a whole, and with the options. */
async function importUpload(
  store: Store,
  { bytes, name, form }: ImportFile,
  { dry_run: dry = false, source = form, timezone, status, media = false, date_order: order }: Options,
  by: Pick<WriteOptions, 'pictures' | 'writer' | 'signal' | 'progress'>,
) {
  const first: Entry[] = []
  const onEntry = (entry: Entry) => {
    if (first.length < MOST_SHOWN && entry.kind !== 'date' && entry.kind !== 'line') first.push(entry)
  }
  const how = { form, media, source, status, dry, order, zone: timezone || undefined, file: name }
  const text = await inTurns(decode(bytes))
  return { ...(await importEvents(store, text, { ...by, ...how, onEntry, mostRows: MOST_ROWS })), first }
}

const unsupported = () =>
  new ApiError(
    'rest_unsupported_media_type',
    'Send a file as text/calendar or text/csv, or in a multipart form with a name that ends in .ics or .csv.',
  )

/** What a file is, by its type or the ending of its name. Throws 415 if it is neither. */
function formOf(type: string, name: string): ImportFile['form'] {
  const bare = type.split(';')[0]!.trim().toLowerCase()
  if (Object.hasOwn(IMPORT_TYPES, bare)) return IMPORT_TYPES[bare as keyof typeof IMPORT_TYPES]
  const ending = extname(name).slice(1).toLowerCase()
  if (ending === 'ics' || ending === 'csv') return ending
  throw unsupported()
}

/** Greatest length of the name of a file, under which it is remembered. */
const LONGEST = 200

async function readFile(request: FastifyRequest): Promise<ImportFile> {
  if (request.isMultipart()) return readForm(request)
  const { headers, body } = request
  if (!Buffer.isBuffer(body) || body.length === 0) throw missing(['file'])
  const { filename } = parseDisposition(headers['content-disposition'] ?? '').parameters
  const form = formOf(String(headers['content-type']), filename ?? '')
  return { bytes: body, name: (filename ?? `events.${form}`).slice(0, LONGEST), form }
}

/** The first file of a form. */
async function readForm(request: FastifyRequest): Promise<ImportFile> {
  for await (const part of readParts(request)) {
    if (part.type !== 'file') continue
    const form = formOf(part.mimetype, part.filename)
    return { bytes: await part.toBuffer(), name: part.filename.slice(0, LONGEST), form }
  }
  throw missing(['file'])
}

/** Milliseconds from one message of progress to the next. */
const EACH = 250

/**
 * Answers work that takes long with server-sent events: `progress` as far as it has come, then `report` with what came of it, or `failure`
 * with an ErrorBody. What fails before it has come anywhere is thrown, and so gets an answer of its own.
 */
export async function sendProgress(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (progress: (done: number, total: number) => void) => Promise<object>,
) {
  const stream = new Readable({ read() {} })
  const send = (event: string, data: object) => stream.push(message(event, Buffer.from(JSON.stringify(data))))
  let sent = Number.NEGATIVE_INFINITY
  let begin!: () => void
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const worked = work((done, total) => {
    begin()
    if (performance.now() - sent < EACH) return
    sent = performance.now()
    send('progress', { done, total })
  })
  await Promise.race([begun, worked])
  const end = async () => {
    try {
      send('report', await worked)
    } catch (error) {
      const failure = toApiError(error as Error & { code: string }, request.id)
      if (failure.status === 500) request.log.error({ err: error }, 'request failed')
      send('failure', errorBody(failure))
    }
    stream.push(null)
  }
  end()
  return reply
    .type(EVENT_STREAM)
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    .send(stream)
}
