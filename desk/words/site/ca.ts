import type { WordsOf } from '../translation.ts'
import type { site as en } from './en.ts'

/** The words of the settings of the site in Catalan. */
export const site: WordsOf<typeof en> = {
  settings: 'Configuració',
  how_it_looks: 'Com es veu l’agenda',
  site_name: 'Nom de l’agenda',
  site_color: 'Color',
  site_color_hint: 'S’enfosqueix o s’aclareix fins que el text es llegeix bé.',
  choose_color: 'Tria un color',
  usual_color: 'Color habitual',
  logo: 'Logotip',
  logo_hint: 'Surt a dalt de cada pàgina, en lloc del nom.',
  site_links: 'Enllaços al final de cada pàgina',
  link_text: 'Text de l’enllaç {number}',
  link_url: 'Adreça de l’enllaç {number}',
  add_link: 'Afegeix un enllaç',
  remove_link: 'Treu l’enllaç {number}',
  what_it_counts_in: 'Zona horària, moneda i idiomes',
  currency: 'Moneda',
  languages: 'Idiomes',
  languages_hint: 'Codis separats per comes; el primer és el predeterminat.',
  languages_are: 'Són: {names}',
  set_by_environment: 'Ho fixa el servei: {variable}.',
  held_long:
    'Ja hi ha esdeveniments o altres fitxes, i per això no es pot canviar aquí. Qui gestiona el servei ho canvia amb «almanac config set».',
  starts_anew: 'S’ha desat. El servei es reinicia amb aquests valors…',
  start_needed: 'S’ha desat. Valdrà quan el servei es reiniciï.',
  first_title: 'D’on és la teva agenda?',
  first_text:
    'Els esdeveniments s’escriuen en aquesta zona horària, aquesta moneda i aquest idioma. Ho pots canviar tot mentre no hi hagi cap esdeveniment.',
  default_language: 'Idioma predeterminat',
  later: 'Més tard',
  device_zone: 'El teu dispositiu és en una altra zona horària, {own}. Les hores d’aquí són les de {zone}.',
}
