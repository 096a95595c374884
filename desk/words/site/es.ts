import type { WordsOf } from '../translation.ts'
import type { site as en } from './en.ts'

/** The words of the settings of the site in Spanish. */
export const site: WordsOf<typeof en> = {
  settings: 'Configuración',
  how_it_looks: 'Cómo se ve la agenda',
  site_name: 'Nombre de la agenda',
  site_color: 'Color',
  site_color_hint: 'Se oscurece o se aclara hasta que el texto se lee bien.',
  choose_color: 'Elegir un color',
  usual_color: 'Color habitual',
  logo: 'Logotipo',
  logo_hint: 'Aparece arriba en cada página, en lugar del nombre.',
  site_links: 'Enlaces al final de cada página',
  link_text: 'Texto del enlace {number}',
  link_url: 'Dirección del enlace {number}',
  add_link: 'Añadir un enlace',
  remove_link: 'Quitar el enlace {number}',
  what_it_counts_in: 'Zona horaria, moneda e idiomas',
  currency: 'Moneda',
  languages: 'Idiomas',
  languages_hint: 'Códigos separados por comas; el primero es el predeterminado.',
  languages_are: 'Son: {names}',
  set_by_environment: 'Lo fija el servicio: {variable}.',
  held_long:
    'Ya hay eventos u otras fichas, y por eso no se puede cambiar aquí. Quien gestiona el servicio lo cambia con «almanac config set».',
  starts_anew: 'Guardado. El servicio se reinicia con estos valores…',
  start_needed: 'Guardado. Valdrá cuando el servicio se reinicie.',
  first_title: '¿De dónde es tu agenda?',
  first_text:
    'Los eventos se escriben en esta zona horaria, esta moneda y este idioma. Puedes cambiarlo todo mientras no haya ningún evento.',
  default_language: 'Idioma predeterminado',
  later: 'Más tarde',
  device_zone: 'Tu dispositivo está en otra zona horaria, {own}. Las horas de aquí son las de {zone}.',
}
