import type { Language } from './data.ts'

type Names = Record<Language, string>
type Category = { names: Names; parent?: string; description?: string }

/** Parents stand before their children. */
export const CATEGORIES = {
  music: {
    names: { en: 'Music', ca: 'Música', es: 'Música en vivo' },
    description: 'Concerts, choirs and sessions.',
  },
  concerts: { names: { en: 'Concerts', ca: 'Concerts', es: 'Conciertos' }, parent: 'music' },
  jazz: { names: { en: 'Jazz', ca: 'Jazz', es: 'Jazz' }, parent: 'concerts' },
  classical: {
    names: { en: 'Classical music', ca: 'Música clàssica', es: 'Música clásica' },
    parent: 'concerts',
  },
  choirs: { names: { en: 'Choirs', ca: 'Corals', es: 'Coros' }, parent: 'music' },
  arts: { names: { en: 'Arts', ca: 'Arts', es: 'Artes' } },
  exhibitions: { names: { en: 'Exhibitions', ca: 'Exposicions', es: 'Exposiciones' }, parent: 'arts' },
  theatre: { names: { en: 'Theatre', ca: 'Teatre', es: 'Teatro' }, parent: 'arts' },
  film: { names: { en: 'Film', ca: 'Cinema', es: 'Cine' }, parent: 'arts' },
  talks: { names: { en: 'Talks', ca: 'Xerrades', es: 'Charlas' } },
  books: { names: { en: 'Books', ca: 'Llibres', es: 'Libros' }, parent: 'talks' },
  science: { names: { en: 'Science', ca: 'Ciència', es: 'Ciencia' }, parent: 'talks' },
  workshops: { names: { en: 'Workshops', ca: 'Tallers', es: 'Talleres' } },
  neighbourhood: { names: { en: 'Neighbourhood', ca: 'Barri', es: 'Barrio' } },
  markets: { names: { en: 'Markets', ca: 'Mercats', es: 'Mercados' }, parent: 'neighbourhood' },
} as const satisfies Record<string, Category>

export const TAGS = {
  live: { en: 'live', ca: 'en directe', es: 'en directo' },
  outdoors: { en: 'outdoors', ca: 'a l’aire lliure', es: 'al aire libre' },
  families: { en: 'for families', ca: 'per a famílies', es: 'para familias' },
  beginners: { en: 'for beginners', ca: 'per començar', es: 'para empezar' },
  night: { en: 'at night', ca: 'de nit', es: 'de noche' },
  food: { en: 'food and drink', ca: 'menjar i beure', es: 'comer y beber' },
  accessible: { en: 'step-free', ca: 'sense esglaons', es: 'sin escalones' },
  remote: { en: 'remote', ca: 'a distància', es: 'a distancia' },
} as const satisfies Record<string, Names>
