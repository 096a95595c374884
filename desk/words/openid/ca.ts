import type { WordsOf } from '../translation.ts'
import type { openid as en } from './en.ts'

/** The words of signing in with a provider, in Catalan. */
export const openid: WordsOf<typeof en> = {
  openid_sign_in: 'Entra amb {name}',
  openid_or: 'o bé',
  openid_confirm: 'Confirma-ho amb {name}',
  openid_window: 'S’obre una altra finestra. Després torna a aquesta.',
  openid_back: 'Ja has entrat. Continua a la finestra on eres.',
  openid_unknown:
    '{name} et coneix, però aquesta agenda no. Demana a un administrador que t’hi afegeixi amb la teva adreça electrònica.',
  openid_disabled: 'El teu usuari en aquesta agenda està desactivat.',
  openid_taken: '{name} ja està enllaçat amb un altre usuari d’aquesta agenda.',
  openid_link: 'Enllaça-ho amb {name}',
  openid_link_hint:
    'Després entraràs en aquesta agenda amb {name}. T’hi pots enllaçar durant deu minuts després d’entrar.',
  openid_link_title: 'Entrar amb {name}',
  openid_unlink: 'Elimina',
  openid_unlink_one: 'Elimina l’enllaç amb {name}',
  openid_unlink_title: 'Vols eliminar l’enllaç amb {name}?',
  openid_unlink_text: '{name} ja no entrarà en aquest compte, i les sessions d’allà s’acaben.',
  openid_unlinked: 'L’enllaç s’ha eliminat.',
  openid_no_role: '{name} no et dona cap rol en aquesta agenda. Parla amb qui hi porta els grups.',
  openid_last_administrator: '{name} deixaria aquesta agenda sense administrador. Afegeix-ne un altre abans.',
}
