import type { ComponentType } from 'preact'
import { SITE } from '../../api/site.ts'
import type { Place } from '../../rules/places.ts'
import { Missing } from '../missing.tsx'
import { TranslateEvent } from './event.tsx'
import { translateLinked } from './linked.tsx'
import type { Wanted } from './side.tsx'
import { translateTerm } from './term.tsx'

/** The kinds of records that have translations, by the path of their lists. */
const KINDS: Record<string, ComponentType<Wanted>> = {
  events: TranslateEvent,
  venues: translateLinked('venue'),
  organizers: translateLinked('organizer'),
  categories: translateTerm('category'),
  tags: translateTerm('tag'),
}

/** A record and its translation into a language, side by side. */
export function TranslatePage({ place: { path } }: { place: Place }) {
  const [, plural = '', id, language = ''] = path
  const Both = KINDS[plural]
  if (!Both || !SITE.languages.includes(language)) return <Missing />
  return <Both id={Number(id)} language={language} />
}
