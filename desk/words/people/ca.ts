import type { WordsOf } from '../translation.ts'
import type { people as en } from './en.ts'

/** The words of people's accounts in Catalan. */
export const people: WordsOf<typeof en> = {
  login_or_email: 'Nom d’usuari o adreça electrònica',
  any_password: 'Contrasenya',
  any_password_hint:
    'La teva, o una contrasenya d’aplicació: la que va mostrar la primera arrencada del servei, o la que et va donar un administrador.',
  confirm_who:
    'Per a contrasenyes, usuaris i adreces nous cal la teva contrasenya una altra vegada si fa més de 10 minuts que has entrat. Escriu la contrasenya de {login}.',
  forgot: 'Has oblidat la contrasenya?',
  forgot_text:
    'Si existeix aquest usuari i en sabem l’adreça, rebrà un correu amb un enllaç per triar una contrasenya nova.',
  forgot_send: 'Envia l’enllaç',
  forgot_sent: 'Si sabem la teva adreça, t’hem enviat un enllaç. Funciona una sola vegada, durant una hora.',
  forgot_no_mail:
    'Aquesta agenda no envia correus. Demana a un administrador un enllaç per triar una contrasenya nova.',
  to_sign_in: 'A la pàgina d’entrada',
  invitation: 'Et donem la benvinguda',
  invitation_text: 'Tria la contrasenya amb què entraràs.',
  new_password: 'Una contrasenya nova',
  new_password_text: 'Tria una contrasenya nova. Es tancaran totes les teves sessions.',
  own_password: 'La teva contrasenya',
  own_password_text: 'Serveix per entrar a la redacció. Els programes fan servir contrasenyes d’aplicació.',
  own_new: 'Contrasenya nova',
  own_rules:
    'Almenys 10 caràcters. Ni el nom d’usuari, ni el teu nom o adreça, ni una que faci servir molta gent.',
  own_present: 'Contrasenya actual',
  own_present_hint: 'Buida si encara no en tens, o si acabes d’entrar.',
  own_set: 'Desa la contrasenya',
  own_was_set: 'La contrasenya s’ha desat. Les altres sessions obertes amb l’anterior s’han tancat.',
  password_chosen: 'La contrasenya nova s’ha desat. Fes-la servir per entrar, {login}.',
  email: 'Adreça electrònica',
  email_hint: 'Només la veieu tu i els administradors. S’hi envien els enllaços si oblides la contrasenya.',
  person: 'Nom i adreça',
  person_hint: 'El nom es mostra als altres aquí.',
  how_in: 'Com entrarà?',
  by_invitation: 'Amb una contrasenya que triarà',
  by_secret: 'Amb una contrasenya d’aplicació, que se’t mostrarà',
  invited: 'Invitació',
  invited_hint: 'Dona-la a {login}. L’enllaç funciona una sola vegada, durant 7 dies.',
  invited_mailed: 'La invitació s’ha enviat a {email}.',
  link: 'Enllaç',
  invite_again: 'Fes un enllaç per triar contrasenya',
  invite_again_hint:
    'Per a qui encara no ha fet servir la invitació, o ha oblidat la contrasenya. L’enllaç d’abans deixa de funcionar.',
  opener_application_password: 'Contrasenya d’aplicació',
  opener_password: 'Contrasenya pròpia',
  opener_passkey: 'Clau d’accés',
  opener_openid: 'Un altre servei',
  end_others: 'Tanca totes les altres',
  others_over: 'Les altres sessions s’han tancat.',
}
