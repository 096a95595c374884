import { metered, type Task } from '../../kernel/tasks/scheduler.ts'
import type { Spend } from './selections/selection.ts'

/** Units of work that a step of a list costs, and more for each word, which every text is searched for. */
const PRICE = 2
const PRICE_OF_WORD = 0.4

/** What a step costs that looks for so many words. */
export const priceOf = (words = 0): number => PRICE + words * PRICE_OF_WORD

/** A task that looks for so many words, each step of which is charged to whoever asks. */
export const charged = <T>(task: Task<T>, spend: Spend | undefined, words = 0): Task<T> =>
  spend ? metered(task, priceOf(words), spend) : task
