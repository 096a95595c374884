import type { WordsOf } from '../translation.ts'
import type { factors as en } from './en.ts'

/** The words of second factors and passkeys, in Catalan. */
export const factors: WordsOf<typeof en> = {
  factor: 'Segon factor',
  factor_about:
    'Un codi d’un programa del telèfon, que es demana després de la teva contrasenya. Les contrasenyes d’aplicació dels programes no en necessiten.',
  factor_on: 'Actiu des de {time}.',
  factor_used: 'Últim ús: {time}.',
  factor_left: 'Codis de recuperació que queden: {count}.',
  factor_off: 'Inactiu.',
  factor_set_up: 'Configura',
  factor_anew: 'Configura de nou',
  factor_remove: 'Treu el segon factor',
  factor_remove_title: 'Vols treure el segon factor?',
  factor_remove_text: 'Aleshores n’hi ha prou amb la contrasenya. Els codis de recuperació també s’acaben.',
  factor_removed: 'El segon factor s’ha tret.',
  factor_of_other: 'Treu-lo només si tens la certesa que t’ho demana aquesta persona.',
  factor_scan:
    'Escaneja això amb un programa de codis, o escriu-hi el secret. Després escriu el codi que mostra.',
  factor_picture: 'Codi QR amb el secret',
  factor_secret: 'Secret',
  factor_code: 'Codi',
  factor_ready: 'Activa',
  recovery: 'Codis de recuperació',
  recovery_new: 'Codis de recuperació nous',
  recovery_about:
    'Cadascun funciona una vegada en lloc d’un codi, si perds el telèfon. Només es mostren ara, i els anteriors s’han acabat. Imprimeix-los, o desa’ls on tens les contrasenyes.',
  recovery_download: 'Baixa',
  passkeys: 'Claus d’accés',
  passkeys_about:
    'Amb una clau d’accés entres amb l’empremta, la cara o el PIN del dispositiu, sense usuari ni contrasenya.',
  passkeys_elsewhere: 'Aquest navegador no coneix les claus d’accés.',
  passkey_new: 'Nom d’una clau d’accés nova',
  passkey_new_hint: 'Per exemple, el dispositiu que la té.',
  passkey_add: 'Afegeix una clau d’accés',
  passkey_added: 'La clau d’accés s’ha afegit.',
  passkey_synced: 'a tots els teus dispositius',
  passkey_remove: 'Treu',
  passkey_remove_one: 'Treu la clau d’accés «{name}»',
  passkey_remove_title: 'Vols treure la clau d’accés «{name}»?',
  passkey_remove_text:
    'Ja no servirà per entrar, i les seves sessions s’acaben. Treu-la també del dispositiu.',
  passkey_removed: 'La clau d’accés s’ha tret.',
  passkey_sign_in: 'Entra amb una clau d’accés',
  passkey_stopped: 'La clau d’accés no s’ha fet servir.',
  passkey_known: 'Aquest dispositiu ja té una clau d’accés teva.',
  code_title: 'Segon factor',
  code_label: 'Codi o codi de recuperació',
  code_hint: 'Els sis dígits que mostra ara el teu programa de codis.',
  code_confirm: 'Continua',
  code_back: 'Comença de nou',
}
