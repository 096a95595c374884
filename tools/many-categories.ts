/** Names of an area of a town's calendar, and of what there is in each, in the languages of the demo. */
type Named = { en: string; ca: string; es: string }
const AREAS: Named[] = [
  { en: 'Music', ca: 'Música', es: 'Música' },
  { en: 'Dance', ca: 'Dansa', es: 'Danza' },
  { en: 'Stage', ca: 'Escena', es: 'Escena' },
  { en: 'Cinema', ca: 'Cinema', es: 'Cine' },
  { en: 'Letters', ca: 'Lletres', es: 'Letras' },
  { en: 'Science', ca: 'Ciència', es: 'Ciencia' },
  { en: 'Sport', ca: 'Esport', es: 'Deporte' },
  { en: 'Nature', ca: 'Natura', es: 'Naturaleza' },
  { en: 'Heritage', ca: 'Patrimoni', es: 'Patrimonio' },
  { en: 'Festivities', ca: 'Festes', es: 'Fiestas' },
]
const KINDS: ((area: Named) => Named)[] = [
  ({ en, ca, es }) => ({
    en: `${en} for families`,
    ca: `${ca} per a famílies`,
    es: `${es} para familias`,
  }),
  ({ en, ca, es }) => ({ en: `${en} school`, ca: `Escola de ${ca}`, es: `Escuela de ${es}` }),
  ({ en, ca, es }) => ({ en: `Young ${en}`, ca: `${ca} jove`, es: `${es} joven` }),
  ({ en, ca, es }) => ({ en: `${en} outdoors`, ca: `${ca} a l’aire lliure`, es: `${es} al aire libre` }),
  ...[1, 2, 3, 10].map(
    (at) =>
      ({ en, ca, es }: Named): Named => ({
        en: `${en}, district ${at}`,
        ca: `${ca}, districte ${at}`,
        es: `${es}, distrito ${at}`,
      }),
  ),
]
const MORE: Named[] = [
  { en: 'Town hall', ca: 'Ajuntament', es: 'Ayuntamiento' },
  { en: 'Library', ca: 'Biblioteca', es: 'Biblioteca' },
]

/** Makes 275 categories in three languages, with their translations and parents, by a function that creates one. The last one lacks a translation. */
export async function makeManyCategories(create: (body: object) => Promise<{ id: number }>): Promise<void> {
  let left = 275
  const make = async (names: Named, above?: Record<string, number>) => {
    const ids: Record<string, number> = {}
    for (const [language, name] of Object.entries(names)) {
      if (left === 0) break
      left--
      const { id } = await create({
        ...{ name, i18n_language: language },
        ...(ids.en !== undefined && { translation_of: ids.en }),
        ...(above && { parent: above[language] }),
      })
      ids[language] = id
    }
    return ids
  }
  for (const area of AREAS) {
    const above = await make(area)
    for (const kind of KINDS) await make(kind(area), above)
  }
  for (const names of MORE) await make(names)
}
