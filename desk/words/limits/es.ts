import type { WordsOf } from '../translation.ts'
import type { limits as en } from './en.ts'

/** The words of rights that are limited, in Spanish. */
export const limits: WordsOf<typeof en> = {
  limits: 'Límites de los permisos',
  limits_hint:
    'Con límites, el usuario tiene los permisos del rol solo para los eventos de una de estas categorías o de uno de estos lugares.',
  limits_none: 'Sin límites: los permisos del rol valen para todos los eventos.',
  limits_token_hint:
    'Con límites, el token solo vale para esos eventos, y no puede tener el permiso de administrar.',
  limits_set: 'Limitar los permisos',
  limits_save: 'Guardar los límites',
  limits_end: 'Quitar los límites',
  limited_to: 'Tus permisos se limitan a los eventos de {categories}, o en {venues}.',
  limited_to_categories: 'Tus permisos se limitan a los eventos de {categories}.',
  limited_to_venues: 'Tus permisos se limitan a los eventos en {venues}.',
  limited_to_nothing: 'Tus permisos tienen límites, y ahora no abarcan ningún evento.',
}
