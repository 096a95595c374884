import type { WordsOf } from '../translation.ts'
import type { alike as en } from './en.ts'

/** The words of records in several languages, in Catalan. */
export const alike: WordsOf<typeof en> = {
  also_in: 'També en {languages}',
  also_in_hint: 'Les dates, el lloc, el preu, la imatge i l’estat. Els textos no canvien.',
  also_in_hint_linked: 'L’adreça, el contacte, la imatge i l’estat. Els textos no canvien.',
  uneven: 'No és igual en tots els idiomes:',
  uneven_in: '{language}: {members}',
  even: 'Fes servir aquests valors en tots els idiomes',
  evened: 'Ara és igual en tots els idiomes.',
  chosen_sets: 'Triats: {count}, {all} amb les traduccions',
  languages_of: 'Idiomes de «{title}»',
  no_time: 'Escriu una hora com ara {time}.',
  publish_time: 'A les',
  past_start: 'Aquesta data ja ha passat. És correcte l’any?',
  skipped_time: 'El {day} els rellotges se salten les {time}. Serà a les {becomes}.',
}
