import type { MediaRow } from '../../../../calendar/formats/records.ts'
import { html, type Markup, type Part, textOf } from '../../../../kernel/text/markup.ts'

/** What the tag of a picture with a point of its own begins with. Text of others can not, as it is escaped or sanitised. */
const FOCUSED = '<img class="at '

/** Hundredths of a side between two classes. */
const STEP = 10
const STEPS = Array.from({ length: 100 / STEP + 1 }, (_, at) => at * STEP)

const near = (part: number) => Math.round((100 * part) / STEP) * STEP

/** The classes of a picture that is cut around another point than its centre, as the first attribute of its tag. */
export function focusOf({ focal_point: point }: Pick<MediaRow, 'focal_point'>): Part {
  const [x, y] = point === null ? [50, 50] : [near(point.x), near(point.y)]
  return (x !== 50 || y !== 50) && html` class="at x${x} y${y}"`
}

/** Whether some markup shows a picture with a point of its own. */
export const isFocused = (markup: Markup): boolean => textOf(markup).includes(FOCUSED)

/** The rules of these classes, for pages with such a picture: the policy of pages allows no style in an attribute. */
export const FOCUS_RULES = [
  '.at{object-position:var(--x) var(--y)}',
  ...STEPS.flatMap((at) => [`.x${at}{--x:${at}%}`, `.y${at}{--y:${at}%}`]),
].join('')
