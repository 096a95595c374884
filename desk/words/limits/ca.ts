import type { WordsOf } from '../translation.ts'
import type { limits as en } from './en.ts'

/** The words of rights that are limited, in Catalan. */
export const limits: WordsOf<typeof en> = {
  limits: 'Límits dels drets',
  limits_hint:
    'Amb límits, l’usuari té els drets del rol només per als actes d’una d’aquestes categories o d’un d’aquests llocs.',
  limits_none: 'Sense límits: els drets del rol valen per a tots els actes.',
  limits_token_hint:
    'Amb límits, la clau només val per als actes d’allà. Aleshores no pot tenir l’abast d’administració.',
  limits_set: 'Limita els drets',
  limits_save: 'Desa els límits',
  limits_end: 'Treu els límits',
  limited_to: 'Els teus drets es limiten als actes de {categories}, o a {venues}.',
  limited_to_categories: 'Els teus drets es limiten als actes de {categories}.',
  limited_to_venues: 'Els teus drets es limiten als actes a {venues}.',
  limited_to_nothing: 'Els teus drets tenen límits, i ara no hi ha cap acte a dins.',
}
