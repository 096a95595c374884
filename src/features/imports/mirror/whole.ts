/** Milliseconds after which all records of a source are looked through in any case. */
const DAY = 86_400_000

/** A look through all records of a source: when it was, the number of its import, and how many records it could not take. */
type Look = { at: number; run: number; refused: number; left: number }

/** What the looks through all records of a source gave. Those of a day are one import, by which it is known how much went. */
export function openWhole() {
  let last: Look | undefined
  /** Records that went since that import began. */
  let lost = 0
  const isDue = (now: number) => last === undefined || now - last.at >= DAY

  return {
    isDue,
    last: (): Readonly<Look> | undefined => last,
    /** What the next import goes on with. */
    goOn: (now: number) => ({ lost, ...(last && !isDue(now) && { run: last.run }) }),
    /** Notes a look through all records, of which so many went. */
    note(now: number, { gone, ...told }: Omit<Look, 'at'> & { gone: number }) {
      const isNew = isDue(now)
      lost = isNew ? 0 : lost + gone
      last = { at: isNew ? now : last!.at, ...told }
    },
    /** Notes that records went that were told as changes. */
    lose(gone: number) {
      lost += gone
    },
    forget() {
      last = undefined
    },
  }
}
export type Whole = ReturnType<typeof openWhole>
