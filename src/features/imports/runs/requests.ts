import { MOST_SHOWN } from '../../../../schemas/imports.ts'
import { openBodies } from '../../../calendar/bodies.ts'
import type { Pictures } from '../../../calendar/media/pictures.ts'
import type { Store } from '../../../calendar/store.ts'
import { inTurns } from '../../../kernel/tasks/scheduler.ts'
import { importEvents } from '../files/events.ts'
import type { Entry } from '../files/report.ts'
import { decode } from '../files/text.ts'
import type { Importing } from '../importing.ts'
import { undoImport } from './undo.ts'

/** Rows of a table that are held in memory at once for a request. */
const MOST_ROWS = 100_000

/** Imports of files and their undoing, for requests. */
export function openImporting(store: Store, pictures: Pick<Pictures, 'bring' | 'discard'>): Importing {
  const read = openBodies(store.site.languages)
  return {
    async take({ bytes, name, form }, { dry_run: dry = false, source = form, ...options }, writer, way) {
      const { timezone, status, media = false, date_order: order } = options
      const first: Entry[] = []
      const hear = (entry: Entry) => {
        if (first.length < MOST_SHOWN && entry.kind !== 'date' && entry.kind !== 'line') first.push(entry)
      }
      const report = await importEvents(store, await inTurns(decode(bytes)), {
        ...{
          form,
          media,
          zone: timezone || undefined,
          read,
          pictures,
          writer,
          source,
          status,
          dry,
          hear,
          order,
        },
        ...{ file: name, mostRows: MOST_ROWS, ...way },
      })
      return { ...report, first } as Awaited<ReturnType<Importing['take']>>
    },
    undo: (run, writer) => undoImport(store, writer, run),
  }
}
