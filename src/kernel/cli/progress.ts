import { Presets, SingleBar } from 'cli-progress'

/** Shows a progress bar, with `more` behind it, while `work` runs, if the output is a terminal. */
export async function withBar<T>(
  { terminal }: { terminal: boolean },
  label: string,
  work: (progress: (done: number, total: number, more?: string) => void) => Promise<T>,
): Promise<T> {
  if (!terminal) return work(() => {})
  const bar = new SingleBar(
    {
      format: `${label} {bar} {percentage} %, {eta_formatted} to go{more}`,
      hideCursor: true,
      clearOnComplete: true,
    },
    Presets.shades_classic,
  )
  bar.start(1, 0, { more: '' })
  try {
    return await work((done, total, more = '') => {
      bar.setTotal(total)
      bar.update(done, { more })
    })
  } finally {
    bar.stop()
  }
}
