import type { WordsOf } from '../translation.ts'
import type { drafts as en } from './en.ts'

/** The words of what is not saved, in Catalan. */
export const drafts: WordsOf<typeof en> = {
  leave_title: 'Vols sortir sense desar?',
  leave_kept: 'El que has escrit es queda en aquest navegador i se’t tornarà a oferir.',
  leave_lost: 'El que has escrit es perdrà.',
  leave_stay: 'Queda’t aquí',
  leave_keep: 'Surt i conserva-ho',
  leave_forget: 'Descarta-ho i surt',
  leave: 'Surt',
  drafts: 'Encara sense desar',
  draft_from: '{what}, {when}',
  draft_untitled: 'Sense títol',
  draft_forget: 'Descarta «{title}»',
  draft_forget_short: 'Descarta',
  draft_forget_title: 'Vols descartar el que has escrit?',
  draft_forget_text: '«{title}» es va escriure {when} i no s’ha desat mai. Ningú no ho podrà recuperar.',
  out_title: 'Vols tancar la sessió?',
  out_text:
    'Has escrit coses que no estan desades. Aquest navegador te les pot guardar fins que tornis a iniciar la sessió. Si altres persones també fan servir l’ordinador, descarta-les.',
  out_keep: 'Conserva-les i tanca la sessió',
  out_forget: 'Descarta-les i tanca la sessió',
}
