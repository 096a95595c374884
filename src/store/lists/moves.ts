/**
 * That an event was written. `row` is where it stood before or, if it was not there, where it stands now; `start` and `length` are what
 * they were before, as the calendar counts them. A row is given to another event only after this was noted.
 */
export type Move = { id: number; row: number; start: number; length: number }

/**
 * The last writes to events, in order, by growing numbers: what is kept of a list notes up to which it has come, and catches up
 * when it is asked for.
 */
export function openMoves(most: number) {
  let first = 0
  let moves: Move[] = []
  const latest = new Map<number, number>()
  const end = () => first + moves.length
  return {
    /** The number that the next will have. */
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
    /** Undefined where it is no longer known. */
    at: (number: number): Move | undefined => moves[number - first],
    /** The number of the last write to an event, of those that are known. */
    latest: (id: number) => latest.get(id),
    /** Puts everything that was noted before out of reach. */
    forget() {
      first = end() + 1
      moves = []
      latest.clear()
    },
  }
}
export type Moves = ReturnType<typeof openMoves>
