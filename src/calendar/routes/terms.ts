import { type TObject, Type } from '@sinclair/typebox'
import { IdFilter, Truth } from '../../../schemas/common.ts'
import {
  Category,
  CategoryInput,
  CategoryQuery,
  Tag,
  TagInput,
  TagQuery,
  type TermInput,
  type TermQuery,
} from '../../../schemas/term.ts'
import { canReadAll } from '../../kernel/access/rights.ts'
import { ApiError, type ErrorCode, type Problems, refuse } from '../../kernel/errors.ts'
import { filterTexts, readModified } from '../resource/page.ts'
import { addResource, type Resource } from '../resource/resource.ts'
import { family, type Service } from '../resource/service.ts'
import type { Store, Taxonomy, TermFilter, TermKey } from '../store.ts'

/** Categories and tags, which differ only in the parent. */
export const termRoutes = family('terms', async (app, service) => {
  addResource(app, service, categoryResource(service))
  await app.register(async (context) => {
    const tags = tagResource(service)
    context.addHook('preValidation', async ({ body }) => tags.refuse?.(body))
    addResource(context, service, tags)
  })
})

/** Categories as data of routes. */
export const categoryResource = (service: Service) =>
  resourceOf(
    service,
    'category',
    'categories',
    CategoryQuery,
    CategoryInput,
    Category,
    service.store.categories,
  )
/** Tags as data of routes. */
export const tagResource = (service: Service) =>
  resourceOf(service, 'tag', 'tags', TagQuery, TagInput, Tag, service.store.tags)

function resourceOf(
  service: Service,
  taxonomy: Taxonomy,
  plural: string,
  Query: TObject,
  Input: TObject,
  answer: TObject,
  terms: Store['categories'],
): Resource<TermQuery, TermInput & { name: string }> {
  const { store } = service
  const hierarchy: ErrorCode[] = taxonomy === 'tag' ? ['rest_taxonomy_not_hierarchical'] : []

  return {
    name: taxonomy,
    plural,
    ...(taxonomy === 'tag' && { refuse: refuseParent }),
    right: taxonomy === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories',
    query: Query,
    input: Input,
    answer,
    read: Type.Object({}),
    remove: Type.Object({
      force: Type.Optional(Truth('Accepted and ignored: terms are always deleted permanently.')),
      reassign: Type.Optional(
        IdFilter(
          `ID of another ${taxonomy}, which all events of the deleted one get in its place. Without it they lose the ${taxonomy}.`,
          taxonomy === 'tag' ? 2 : 1,
        ),
      ),
    }),
    more: Type.Object({}),
    hasSlugs: false,
    errors: {
      read: [],
      create: ['empty_term_name', 'term_name_too_long', 'term_exists', ...hierarchy],
      update: ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug', ...hierarchy],
      delete: [],
    },
    async list(query, request) {
      const { modified, texts, until } = readModified(query, service.site)
      const filter = { ...readFilter(query, service.language(request)), modified }
      request.until = until
      const problems = { ...(await terms.check(filter, request.caller)), ...(await checkEvent(query)) }
      refuse(problems)
      if (
        filter.event !== undefined &&
        !canReadAll(request.caller, (await store.posts.byId('event', filter.event))!)
      )
        filter.event = 0
      return { ...(await terms.list(filter, request.caller)), filters: filterTexts(request, Query, texts) }
    },
    find: async (key, { caller }) => (await terms.find(key as TermKey, caller)).id,
    findEditable: async (key, { caller }) => (await terms.find(key as TermKey, caller)).id,
    check: (write, input, _request, key) => terms.checkInput(write, input, key as TermKey | undefined),
    create: (write, input) => terms.create(write, input),
    update: (write, key, input) => terms.update(write, key as TermKey, input),
    async delete(key, request, view, guard) {
      const { id } = await terms.find(key as TermKey, request.caller)
      const { reassign } = request.query as { reassign?: number }
      const context = service.checking(request)
      return store.remove.term(terms, { context, key: id, view, guard }, reassign)
    },
    show: (ids, view) => store.documents.terms(ids, view),
  }

  async function checkEvent(query: TermQuery): Promise<Problems> {
    const problems: Problems = {}
    for (const name of ['post', 'event'] as const) {
      const id = query[name]
      if (id !== undefined && !(await store.posts.byId('event', id)))
        problems[name] = `There is no event with ID ${id}.`
    }
    return problems
  }
}

function readFilter(query: TermQuery, language: string | undefined): TermFilter {
  const { order = 'asc', orderby = 'name', hide_empty = true } = query
  return {
    ...query,
    order,
    orderby,
    hide_empty,
    ...((query.event ?? query.post) !== undefined && { event: (query.event ?? query.post)! }),
    ...(language !== undefined && { language }),
  }
}

/** Refuses a parent for tags (R8) before any other check. */
export function refuseParent(body: unknown) {
  const { parent } = (body ?? {}) as { parent?: unknown }
  if (parent !== undefined && parent !== null)
    throw new ApiError(
      'rest_taxonomy_not_hierarchical',
      'Tags have no parent; remove `parent` from the request.',
    )
}
