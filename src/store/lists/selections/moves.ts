/**
 * A write to an event. `row` is its row before the write or, if it is new, its row now; `start` and `length` are those
 * before the write, as in the calendar. A row goes to another event only after this was noted.
 */
export type Move = { id: number; row: number; start: number; length: number }

/**
 * The last writes to events, in order, with growing numbers. A kept list remembers the number that it has reached, and catches up
 * when it is used.
 */
export function openMoves(most: number) {
  let first = 0
  let moves: Move[] = []
  const latest = new Map<number, number>()
  const end = () => first + moves.length
  return {
    /** The number of the next write. */
    end,
    add(move: Move) {
      if (moves.length >= most) {
        const gone = moves.splice(0, most >> 1)
        first += gone.length
        for (const { id } of gone) if (latest.get(id)! < first) latest.delete(id)
      }
      latest.set(move.id, end())
      moves.push(move)
    },
    /** Undefined if it is no longer known. */
    at: (number: number): Move | undefined => moves[number - first],
    /** The number of the last known write to an event. */
    latest: (id: number) => latest.get(id),
    /** Discards all earlier writes. */
    forget() {
      first = end() + 1
      moves = []
      latest.clear()
    },
  }
}
export type Moves = ReturnType<typeof openMoves>
