import { distance } from '../../kernel/text/search.ts'

/** Classes of letters. One error of typing adds one class at most and takes one away. */
const CLASSES = 26
const ALL = 2 ** CLASSES - 1
const LONGEST = 63

/** The classes of the letters of a word, a bit each, and its length above them. */
function shapeOf(word: string): number {
  let shape = Math.min(word.length, LONGEST) << CLASSES
  for (let at = 0; at < word.length; at++) shape |= 1 << (word.charCodeAt(at) % CLASSES)
  return shape
}

function bitsIn(shape: number): number {
  let count = 0
  for (let left = shape; left !== 0; left &= left - 1) count++
  return count
}

/** Words in memory, among which those like another are found: most are told apart by their letters alone. */
export function openSpellings() {
  const places = new Map<string, number>()
  const words: string[] = []
  const shapes: number[] = []
  const uses: number[] = []

  return {
    /** Adds a word, or one more use of it. */
    add(word: string) {
      const place = places.get(word) ?? words.length
      if (place === words.length) {
        places.set(word, place)
        words.push(word)
        shapes.push(shapeOf(word))
        uses.push(0)
      }
      uses[place]!++
    },
    /** Takes away a use of a word, which is there, and the word with the last one. */
    delete(word: string) {
      const place = places.get(word)!
      if (--uses[place]! > 0) return
      const last = { word: words.pop()!, shape: shapes.pop()!, uses: uses.pop()! }
      places.delete(word)
      if (last.word === word) return
      words[place] = last.word
      shapes[place] = last.shape
      uses[place] = last.uses
      places.set(last.word, place)
    },
    /** Words with at most so many errors of typing, and how many these are. */
    near(word: string, most: number): Map<string, number> {
      const found = new Map<string, number>()
      const shape = shapeOf(word)
      const length = shape >>> CLASSES
      for (let at = 0; at < shapes.length; at++) {
        const other = shapes[at]!
        if (Math.abs((other >>> CLASSES) - length) > most) continue
        if (bitsIn((other ^ shape) & ALL) > 2 * most) continue
        const errors = distance(word, words[at]!, most)
        if (errors !== undefined) found.set(words[at]!, errors)
      }
      return found
    },
  }
}
