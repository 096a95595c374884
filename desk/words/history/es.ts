import type { WordsOf } from '../translation.ts'
import type { history as en } from './en.ts'

/** The words of the history of events in Spanish. */
export const history: WordsOf<typeof en> = {
  history: 'Historial',
  history_of: 'Historial de {title}',
  history_hint:
    'Lo que se ha cambiado, primero lo más reciente. Los cambios antiguos se eliminan al cabo de un tiempo.',
  no_changes_yet: 'Todavía no se ha cambiado nada.',
  bring_back: 'Recuperar lo que había antes',
  bring_back_of: 'Recuperar lo que había antes de este cambio: {time}',
  brought_back: 'El evento vuelve a ser como antes de este cambio.',
  partly_back: 'El evento vuelve a ser como antes de este cambio, excepto: {members}.',
  history_of_series: 'Cambios de todas las fechas de la serie',
  event_itself: 'Al evento',
  value_before: 'Antes',
  value_after: 'Ahora',
  member_end: 'Fin',
  member_start: 'Inicio',
  member_parent: 'Pertenece a',
}
