import type { WordsOf } from '../translation.ts'
import type { history as en } from './en.ts'

/** The words of the history of events in Catalan. */
export const history: WordsOf<typeof en> = {
  history: 'Historial',
  history_of: 'Historial de {title}',
  history_hint: 'El que s’ha canviat, primer el més recent. Els canvis antics s’eliminen al cap d’un temps.',
  no_changes_yet: 'Encara no s’ha canviat res.',
  bring_back: 'Recupera el que hi havia abans',
  bring_back_of: 'Recupera el que hi havia abans d’aquest canvi: {time}',
  brought_back: 'L’esdeveniment torna a ser com abans d’aquest canvi.',
  partly_back: 'L’esdeveniment torna a ser com abans d’aquest canvi, excepte: {members}.',
  history_of_series: 'Canvis de totes les dates de la sèrie',
  event_itself: 'A l’esdeveniment',
  value_before: 'Abans',
  value_after: 'Ara',
  member_end: 'Final',
  member_start: 'Inici',
  member_parent: 'Pertany a',
}
