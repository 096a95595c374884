import type { WordsOf } from '../translation.ts'
import type { limits as en } from './en.ts'

/** The words of rights that are limited, in Spanish. */
export const limits: WordsOf<typeof en> = {
  limits: 'Límites de los derechos',
  limits_hint:
    'Con límites, el usuario tiene los derechos del rol solo para los eventos de una de estas categorías o de uno de estos lugares.',
  limits_none: 'Sin límites: los derechos del rol valen para todos los eventos.',
  limits_token_hint:
    'Con límites, la clave solo vale para los eventos de allí. Entonces no puede tener el alcance de administración.',
  limits_set: 'Limitar los derechos',
  limits_save: 'Guardar los límites',
  limits_end: 'Quitar los límites',
  limited_to: 'Tus derechos se limitan a los eventos de {categories}, o en {venues}.',
  limited_to_categories: 'Tus derechos se limitan a los eventos de {categories}.',
  limited_to_venues: 'Tus derechos se limitan a los eventos en {venues}.',
  limited_to_nothing: 'Tus derechos tienen límites, y ahora ningún evento está dentro.',
}
