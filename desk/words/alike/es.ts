import type { WordsOf } from '../translation.ts'
import type { alike as en } from './en.ts'

/** The words of records in several languages, in Spanish. */
export const alike: WordsOf<typeof en> = {
  also_in: 'También en {languages}',
  also_in_hint: 'Las fechas, el lugar, el precio, la imagen y el estado. Los textos no cambian.',
  also_in_hint_linked: 'La dirección, el contacto, la imagen y el estado. Los textos no cambian.',
  uneven: 'No es igual en todos los idiomas:',
  uneven_in: '{language}: {members}',
  even: 'Usar estos valores en todos los idiomas',
  evened: 'Ahora es igual en todos los idiomas.',
  chosen_sets: 'Elegidos: {count}, {all} con las traducciones',
  languages_of: 'Idiomas de «{title}»',
  no_time: 'Escribe una hora como {time}.',
  publish_time: 'A las',
  past_start: 'Esta fecha ya ha pasado. ¿Es correcto el año?',
  skipped_time: 'El {day} los relojes se saltan las {time}. Será a las {becomes}.',
}
