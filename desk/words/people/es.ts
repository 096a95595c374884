import type { WordsOf } from '../translation.ts'
import type { people as en } from './en.ts'

/** The words of people's accounts in Spanish. */
export const people: WordsOf<typeof en> = {
  login_or_email: 'Nombre de usuario o correo electrónico',
  any_password: 'Contraseña',
  any_password_hint:
    'La tuya, o una contraseña de aplicación: la que mostró el primer arranque del servicio, o la que te dio un administrador.',
  confirm_who:
    'Para contraseñas, usuarios y direcciones nuevos hace falta tu contraseña otra vez si entraste hace más de 10 minutos. Escribe la contraseña de {login}.',
  forgot: '¿Has olvidado la contraseña?',
  forgot_text:
    'Si existe ese usuario y sabemos su dirección, recibirá un correo con un enlace para elegir una contraseña nueva.',
  forgot_send: 'Enviar el enlace',
  forgot_sent:
    'Si sabemos tu dirección, te hemos enviado un enlace. Funciona una sola vez, durante una hora.',
  forgot_no_mail:
    'Esta agenda no envía correos. Pide a un administrador un enlace para elegir una contraseña nueva.',
  to_sign_in: 'A la página de entrada',
  invitation: 'Te damos la bienvenida',
  invitation_text: 'Elige la contraseña con la que entrarás.',
  new_password: 'Una contraseña nueva',
  new_password_text: 'Elige una contraseña nueva. Se cerrarán todas tus sesiones.',
  own_password: 'Tu contraseña',
  own_password_text: 'Sirve para entrar en la redacción. Los programas usan contraseñas de aplicación.',
  own_new: 'Contraseña nueva',
  own_rules:
    'Al menos 10 caracteres. Ni el nombre de usuario, ni tu nombre o dirección, ni una que use mucha gente.',
  own_present: 'Contraseña actual',
  own_present_hint: 'Vacía si aún no tienes, o si acabas de entrar.',
  own_set: 'Guardar la contraseña',
  own_was_set: 'La contraseña se ha guardado. Las demás sesiones abiertas con la anterior se han cerrado.',
  password_chosen: 'La contraseña nueva se ha guardado. Entra con ella, {login}.',
  email: 'Correo electrónico',
  email_hint: 'Solo la veis tú y los administradores. Ahí se envían los enlaces si olvidas la contraseña.',
  person: 'Nombre y dirección',
  person_hint: 'El nombre se muestra a los demás aquí.',
  how_in: '¿Cómo entrará?',
  by_invitation: 'Con una contraseña que elegirá',
  by_secret: 'Con una contraseña de aplicación, que se te mostrará',
  invited: 'Invitación',
  invited_hint: 'Dásela a {login}. El enlace funciona una sola vez, durante 7 días.',
  invited_mailed: 'La invitación se ha enviado a {email}.',
  link: 'Enlace',
  invite_again: 'Hacer un enlace para elegir contraseña',
  invite_again_hint:
    'Para quien aún no ha usado la invitación, o ha olvidado la contraseña. El enlace de antes deja de funcionar.',
  opener_application_password: 'Contraseña de aplicación',
  opener_password: 'Contraseña propia',
  opener_passkey: 'Clave de acceso',
  opener_openid: 'Otro servicio',
  end_others: 'Cerrar todas las demás',
  others_over: 'Las demás sesiones se han cerrado.',
}
