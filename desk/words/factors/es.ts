import type { WordsOf } from '../translation.ts'
import type { factors as en } from './en.ts'

/** The words of second factors and passkeys, in Spanish. */
export const factors: WordsOf<typeof en> = {
  factor: 'Segundo factor',
  factor_about:
    'Un código de un programa del teléfono, que se pide después de tu contraseña. Las contraseñas de aplicación de los programas no lo necesitan.',
  factor_on: 'Activo desde {time}.',
  factor_used: 'Último uso: {time}.',
  factor_left: 'Códigos de recuperación que quedan: {count}.',
  factor_off: 'Inactivo.',
  factor_set_up: 'Configurar',
  factor_anew: 'Configurar de nuevo',
  factor_remove: 'Quitar el segundo factor',
  factor_remove_title: '¿Quitar el segundo factor?',
  factor_remove_text: 'Entonces basta con la contraseña. Los códigos de recuperación también terminan.',
  factor_removed: 'El segundo factor se ha quitado.',
  factor_of_other: 'Quítalo solo si estás seguro de que te lo pide esta persona.',
  factor_scan:
    'Escanea esto con un programa de códigos, o escribe en él el secreto. Después escribe el código que muestra.',
  factor_picture: 'Código QR con el secreto',
  factor_secret: 'Secreto',
  factor_code: 'Código',
  factor_ready: 'Activar',
  recovery: 'Códigos de recuperación',
  recovery_new: 'Códigos de recuperación nuevos',
  recovery_about:
    'Cada uno funciona una vez en lugar de un código, si pierdes el teléfono. Solo se muestran ahora, y los anteriores han terminado. Imprímelos, o guárdalos donde tienes las contraseñas.',
  recovery_download: 'Descargar',
  passkeys: 'Claves de acceso',
  passkeys_about:
    'Con una clave de acceso entras con la huella, la cara o el PIN del dispositivo, sin usuario ni contraseña.',
  passkeys_elsewhere: 'Este navegador no conoce las claves de acceso.',
  passkey_new: 'Nombre de una clave de acceso nueva',
  passkey_new_hint: 'Por ejemplo, el dispositivo que la tiene.',
  passkey_add: 'Añadir una clave de acceso',
  passkey_added: 'La clave de acceso se ha añadido.',
  passkey_synced: 'en todos tus dispositivos',
  passkey_remove: 'Quitar',
  passkey_remove_one: 'Quitar la clave de acceso «{name}»',
  passkey_remove_title: '¿Quitar la clave de acceso «{name}»?',
  passkey_remove_text: 'Ya no servirá para entrar, y sus sesiones terminan. Quítala también del dispositivo.',
  passkey_removed: 'La clave de acceso se ha quitado.',
  passkey_sign_in: 'Entrar con una clave de acceso',
  passkey_stopped: 'La clave de acceso no se ha usado.',
  passkey_known: 'Este dispositivo ya tiene una clave de acceso tuya.',
  code_title: 'Segundo factor',
  code_label: 'Código o código de recuperación',
  code_hint: 'Los seis dígitos que muestra ahora tu programa de códigos.',
  code_confirm: 'Continuar',
  code_back: 'Empezar de nuevo',
}
