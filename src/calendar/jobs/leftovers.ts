import fp from 'fastify-plugin'
import type { Pictures } from '../media/pictures.ts'
import type { Store } from '../store.ts'

/** Milliseconds between two looks for files that no picture has. */
const SWEEP_EVERY = 3_600_000

/**
 * Deletes the files of pictures that another node deleted, once this node knows of it, and what uploads left where several nodes keep
 * their files. For the process that writes.
 */
export const leftovers = fp<{ db: Pick<Store['db'], 'leads' | 'onApplied'>; pictures: Pictures }>(
  async (app, { db, pictures }) => {
    const erase = () =>
      pictures
        .eraseDeleted()
        .catch((err) => app.log.warn({ err }, 'files of deleted pictures could not be deleted'))
    async function sweep() {
      await erase()
      if (!db.leads()) return
      const files = await pictures.sweepShare().catch((err) => {
        app.log.warn({ err }, 'files that uploads left behind could not be deleted')
        return 0
      })
      if (files > 0) app.log.info({ files }, 'files that uploads left behind were deleted')
    }
    db.onApplied(['media'], erase)
    const timer = setInterval(sweep, SWEEP_EVERY).unref()
    app.addHook('preClose', async () => clearInterval(timer))
  },
  { name: 'leftovers' },
)
