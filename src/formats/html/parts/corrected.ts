import { html, type Part } from '../markup.ts'
import type { View } from '../view.ts'
import { fill } from '../words/words.ts'

/** A search some words of which occur nowhere: as it was taken, and these words as they were typed. */
export type Corrected = { search: string; typed: string[] }

/** For which words events are shown, and which occur nowhere; nothing if all stand as they were typed. */
export const correctedNote = ({ words }: View, corrected: Corrected | undefined): Part =>
  corrected &&
  html`<p class="corrected">${fill(words.corrected, { search: corrected.search })} <span>${fill(words.corrected_from, { words: corrected.typed.map((word) => fill(words.quoted, { word })).join(', ') })}</span></p>`
