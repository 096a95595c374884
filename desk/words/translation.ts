/** Words in the place of the English ones, under the same names. */
export type WordsOf<T> = { [name in keyof T]: string }
