import type { WordsOf } from '../translation.ts'
import type { openid as en } from './en.ts'

/** The words of signing in with a provider, in Spanish. */
export const openid: WordsOf<typeof en> = {
  openid_sign_in: 'Entrar con {name}',
  openid_or: 'o bien',
  openid_confirm: 'Confirmar con {name}',
  openid_window: 'Se abre otra ventana. Después vuelve a esta.',
  openid_back: 'Ya has entrado. Sigue en la ventana donde estabas.',
  openid_unknown:
    '{name} te conoce, pero esta agenda no. Pide a un administrador que te añada con tu dirección de correo.',
  openid_disabled: 'Tu usuario en esta agenda está desactivado.',
  openid_taken: '{name} ya está enlazado con otro usuario de esta agenda.',
  openid_link: 'Enlazar con {name}',
  openid_link_hint:
    'Después entrarás en esta agenda con {name}. Puedes enlazarte durante diez minutos después de entrar.',
  openid_link_title: 'Entrar con {name}',
  openid_unlink: 'Eliminar',
  openid_unlink_one: 'Eliminar el enlace con {name}',
  openid_unlink_title: '¿Eliminar el enlace con {name}?',
  openid_unlink_text: '{name} ya no entrará en esta cuenta, y las sesiones de allí terminan.',
  openid_unlinked: 'El enlace se ha eliminado.',
  openid_no_role: '{name} no te da ningún rol en esta agenda. Habla con quien lleva allí los grupos.',
  openid_last_administrator: '{name} dejaría esta agenda sin administrador. Añade otro antes.',
}
