type Schema = Record<string, unknown>

const text = { type: 'string' }
const whole = { type: 'integer' }
const yes = { type: 'boolean' }
const ids = { type: 'array', items: whole }
const rendered = { type: 'object', properties: { rendered: text, protected: yes } }

const members = (schema: Schema, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, schema]))

const POST = {
  id: whole,
  ...members(text, 'date', 'date_gmt', 'modified', 'modified_gmt', 'slug', 'status', 'type', 'link'),
  ...members(rendered, 'guid', 'title', 'content', 'excerpt'),
  ...members(whole, 'author', 'featured_media'),
}
const PLACED = members(text, 'address', 'city', 'country', 'state_province', 'zip', 'phone', 'website')
const DATES = members(text, 'start_date', 'end_date', 'timezone', 'cost', 'website')

/** What each kind shows, and what its writes take beside that: titles and texts are then plain strings. */
const KINDS: Record<string, { shown: Schema; taken: Schema; required: string[] }> = {
  events: {
    shown: {
      ...POST,
      ...DATES,
      ...members(text, 'start_date_utc', 'end_date_utc'),
      ...members(yes, 'all_day', 'featured', 'sticky', 'multiday', 'is_past', 'is_now'),
      ...members(ids, 'tags', 'tribe_events_cat', 'organizers', 'venues'),
      duration: whole,
    },
    taken: {
      ...DATES,
      ...members(yes, 'all_day', 'featured', 'sticky'),
      ...members(ids, 'tags', 'categories', 'organizers', 'venues'),
    },
    required: ['title', 'start_date', 'end_date'],
  },
  venues: {
    shown: { ...POST, ...PLACED, ...members({ type: 'number' }, 'lat', 'lng') },
    taken: { ...PLACED, ...members({ type: 'number' }, 'lat', 'lng') },
    required: ['title'],
  },
  organizers: {
    shown: { ...POST, ...members(text, 'phone', 'website', 'email') },
    taken: members(text, 'phone', 'website', 'email'),
    required: ['title'],
  },
}
const WRITTEN = {
  ...members(text, 'title', 'content', 'excerpt', 'status', 'slug', 'date'),
  featured_media: whole,
}
const TERM = { id: whole, count: whole, ...members(text, 'name', 'slug', 'description', 'link', 'taxonomy') }
const TERM_WRITTEN = members(text, 'name', 'slug', 'description')

const one = (name: string) =>
  name
    .replace(/ies$/, 'y')
    .replace(/s$/, '')
    .replace(/^./, (first) => first.toUpperCase())
const json = (schema: Schema) => ({ 'application/json': { schema } })
const to = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answer = (description: string, schema: Schema) => ({ description, content: json(schema) })
const FAILED = { default: answer('An error.', to('Error')) }

/** The operations of a kind, by path and method. `names` are the parameters of its list. */
function pathsOf(kind: string, names: readonly string[], isPost: boolean): Record<string, object> {
  const One = one(kind)
  const done = (status: string, description: string, schema: Schema) => ({
    [status]: answer(description, schema),
    ...FAILED,
  })
  const body = (name: string) => ({ requestBody: { required: true, content: json(to(name)) } })
  const id = [{ name: 'id', in: 'path', required: true, schema: whole }]
  const force = [{ name: 'force', in: 'query', schema: yes }]
  const operation = (verb: string, more: object) => ({ operationId: `${verb}${One}`, tags: [kind], ...more })
  return {
    [`/${kind}`]: {
      get: operation('list', {
        parameters: names.map((name) => ({ name, in: 'query', schema: text })),
        responses: done('200', 'A list.', { type: 'array', items: to(One) }),
      }),
      post: operation('create', { ...body(`${One}Input`), responses: done('201', 'Created.', to(One)) }),
    },
    [`/${kind}/{id}`]: {
      get: operation('get', { parameters: id, responses: done('200', 'One record.', to(One)) }),
      put: operation('update', {
        parameters: id,
        ...body(`${One}Update`),
        responses: done('200', 'Changed.', to(One)),
      }),
      ...(isPost && {
        delete: operation('delete', {
          parameters: [...id, ...force],
          responses: done('200', 'In the trash, or deleted.', { type: 'object' }),
        }),
      }),
    },
  }
}

const object = (properties: Schema, required: string[] = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

/** The OpenAPI document of `tec/v1` at a URL. `lists` has the parameters of the list of each kind. */
export function tecDocument(url: string, lists: Record<string, readonly string[]>) {
  const schemas: Record<string, Schema> = {
    Error: object({ code: text, message: text, data: object({ status: whole }) }, [
      'code',
      'message',
      'data',
    ]),
  }
  const paths: Record<string, object> = {}
  for (const [kind, names] of Object.entries(lists)) {
    const known = KINDS[kind]
    const One = one(kind)
    const taken = known ? { ...WRITTEN, ...known.taken } : TERM_WRITTEN
    schemas[One] = object(known ? known.shown : TERM)
    schemas[`${One}Input`] = object(taken, known ? known.required : ['name'])
    schemas[`${One}Update`] = object(taken)
    Object.assign(paths, pathsOf(kind, names, known !== undefined))
  }
  return {
    openapi: '3.0.4',
    info: {
      title: 'The Events Calendar, tec/v1',
      version: '1.0.0',
      description: 'What clients of tec/v1 use. All that there is, is in the API at /tribe/events/v1.',
    },
    servers: [{ url }],
    security: [{}, { password: [] }],
    paths,
    components: { schemas, securitySchemes: { password: { type: 'http', scheme: 'basic' } } },
  }
}
