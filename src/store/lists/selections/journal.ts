/**
 * A write to an event. `row` is its row before the write or, if it is new, its row now; `start` and `length` are those
 * before the write, as in the calendar. A row goes to another event only after this was noted.
 */
export type Entry = { id: number; row: number; start: number; length: number }

/**
 * The last writes to events, in order, with growing numbers. A kept list remembers the number that it has reached, and catches up
 * when it is used.
 */
export function openJournal(most: number) {
  let first = 0
  let journal: Entry[] = []
  const latest = new Map<number, number>()
  const end = () => first + journal.length
  return {
    /** The number of the next write. */
    end,
    add(entry: Entry) {
      if (journal.length >= most) {
        const gone = journal.splice(0, most >> 1)
        first += gone.length
        for (const { id } of gone) if (latest.get(id)! < first) latest.delete(id)
      }
      latest.set(entry.id, end())
      journal.push(entry)
    },
    /** Undefined if it is no longer known. */
    at: (number: number): Entry | undefined => journal[number - first],
    /** The number of the last known write to an event. */
    latest: (id: number) => latest.get(id),
    /** Discards all earlier writes. */
    forget() {
      first = end() + 1
      journal = []
      latest.clear()
    },
  }
}
export type Journal = ReturnType<typeof openJournal>
