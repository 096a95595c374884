import type { WordsOf } from '../translation.ts'
import type { drafts as en } from './en.ts'

/** The words of what is not saved, in Spanish. */
export const drafts: WordsOf<typeof en> = {
  leave_title: '¿Quieres salir sin guardar?',
  leave_kept: 'Lo que has escrito se queda en este navegador y se te volverá a ofrecer.',
  leave_lost: 'Lo que has escrito se perderá.',
  leave_stay: 'Quedarse aquí',
  leave_keep: 'Salir y conservarlo',
  leave_forget: 'Descartarlo y salir',
  leave: 'Salir',
  drafts: 'Aún sin guardar',
  draft_from: '{what}, {when}',
  draft_untitled: 'Sin título',
  draft_forget: 'Descartar «{title}»',
  draft_forget_short: 'Descartar',
  draft_forget_title: '¿Quieres descartar lo que has escrito?',
  draft_forget_text: '«{title}» se escribió {when} y nunca se ha guardado. Nadie podrá recuperarlo.',
  out_title: '¿Quieres cerrar la sesión?',
  out_text:
    'Has escrito cosas que no están guardadas. Este navegador te las puede conservar hasta que vuelvas a iniciar sesión. Si otras personas también usan el ordenador, descártalas.',
  out_keep: 'Conservarlas y cerrar la sesión',
  out_forget: 'Descartarlas y cerrar la sesión',
}
