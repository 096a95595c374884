import { Presets, SingleBar } from 'cli-progress'
import type { Shell } from './shell.ts'

/** Shows on a terminal how far a long run is, for as long as `work` takes; elsewhere it shows nothing. */
export async function withBar<T>(
  { terminal }: Pick<Shell, 'terminal'>,
  label: string,
  work: (progress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
  if (!terminal) return work(() => {})
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage} %, {eta_formatted} to go`,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  )
  bar.start(1, 0)
  try {
    return await work((done, total) => {
      bar.setTotal(total)
      bar.update(done)
    })
  } finally {
    bar.stop()
  }
}
