import { extend, Fields, LanguageSelector } from '../../../schemas/common.ts'
import { type Suggestions, SuggestQuery } from '../../../schemas/suggestion.ts'
import { invalid, missing } from '../../kernel/errors.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { readQuery } from '../../kernel/text/search.ts'
import { pageOfTerm, permalink } from '../formats/urls.ts'
import { bodyOf, family } from '../resource/service.ts'
import type { Suggested } from '../store.ts'
import { checkSearch } from './event-query.ts'

const MINUTE = 60_000

type Named = Suggested['venues'][number]

/** What visitors may mean while they type: the same for all callers. */
export const suggestRoutes = family('suggestions', async (app, service) => {
  const { store, site, base } = service

  app.route({
    method: 'GET',
    url: '/suggest',
    config: { operation: 'read', costs: true },
    schema: {
      operationId: 'getSuggestions',
      tags: ['Search'],
      summary: 'Get suggestions',
      description:
        'Returns what may be meant by what was typed so far: words, venues, organizers, categories and events, at most five of each. With a language, those of it, and of venues and organizers also those without a translation. Credentials make no difference: it knows of what everybody sees.',
      querystring: extend(SuggestQuery, { ...Fields, ...LanguageSelector(site.languages) }),
      ...responses('read', 'Suggestions', ['rest_missing_callback_param']),
    },
    async handler(request, reply) {
      const { q } = request.query as Partial<SuggestQuery>
      if (q === undefined) throw missing(['q'])
      const terms = readQuery(q)
      const problem = checkSearch(terms)
      if (problem) throw invalid({ q: problem })
      const minute = Math.floor(site.clock() / MINUTE)
      request.until = (minute + 1) * MINUTE
      const json = await store.consistently(request, async (): Promise<Suggestions> => {
        const asked = {
          terms: terms.wanted,
          language: service.language(request),
          now: minute * (MINUTE / 1_000),
          spend: request.spend,
        }
        const found = await store.lists.suggest(asked)
        const at = (plural: string, { id }: { id: number }) => `${service.root(request)}/${plural}/${id}`
        const place = (plural: string, named: Named) => ({
          slug: named.slug,
          language: named.language,
          url:
            named.kind === 'category' || named.kind === 'tag'
              ? base + pageOfTerm({ taxonomy: named.kind, slug: named.slug })
              : permalink({ ...named, kind: named.kind }, base),
          rest_url: at(plural, named),
        })
        return {
          words: found.words,
          venues: found.venues.map((one) => ({
            id: one.id,
            venue: one.name,
            ...(one.city && { city: one.city }),
            ...place('venues', one),
          })),
          organizers: found.organizers.map((one) => ({
            id: one.id,
            organizer: one.name,
            ...place('organizers', one),
          })),
          categories: found.categories.map((one) => ({
            id: one.id,
            name: one.name,
            ...place('categories', one),
          })),
          events: (await store.published(found.events)).map((event) => ({
            id: event.id,
            title: event.title,
            start_date: event.start_date,
            all_day: event.all_day,
            slug: event.slug,
            language: event.language,
            url: permalink(event, base),
            rest_url: at('events', event),
          })),
        }
      })
      return bodyOf(request, reply, [Buffer.from(JSON.stringify(json))])
    },
  })
})
