import type { WordsOf } from '../translation.ts'
import type { limits as en } from './en.ts'

/** The words of rights that are limited, in Catalan. */
export const limits: WordsOf<typeof en> = {
  limits: 'Límits dels permisos',
  limits_hint:
    'Amb límits, l’usuari té els permisos del rol només per als esdeveniments d’una d’aquestes categories o d’un d’aquests llocs.',
  limits_none: 'Sense límits: els permisos del rol valen per a tots els esdeveniments.',
  limits_token_hint:
    'Amb límits, el testimoni només val per a aquests esdeveniments, i no pot tenir el permís d’administrar.',
  limits_set: 'Limita els permisos',
  limits_save: 'Desa els límits',
  limits_end: 'Treu els límits',
  limited_to: 'Els teus permisos es limiten als esdeveniments de {categories}, o a {venues}.',
  limited_to_categories: 'Els teus permisos es limiten als esdeveniments de {categories}.',
  limited_to_venues: 'Els teus permisos es limiten als esdeveniments a {venues}.',
  limited_to_nothing: 'Els teus permisos tenen límits, i ara no n’abasten cap esdeveniment.',
}
