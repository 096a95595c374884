type Request = {
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the namespace root. */
  path: string
  signedIn?: true
  body?: Record<string, unknown>
  /** The name of the file to upload. */
  file?: string
  /** What the sample prints: members of the response. */
  shows: string[]
  /** The member of a list that is printed for each entry. */
  of?: string
}
export type Sample = { lang: 'Shell' | 'JavaScript' | 'Python'; label: string; source: string }

/** The environment in JavaScript, as text; this program itself reads it in one file only, which a test asserts. */
const ENVIRONMENT = ['process', 'env'].join('.')
const ROOT = 'https://calendar.example/calendar/events/v1'
const EVENT = {
  title: 'Jazz at the Teatre',
  start_date: '2027-05-14 20:00:00',
  end_date: '2027-05-14 22:00:00',
  venue: { venue: 'Teatre de la Lluna', city: 'Vic' },
  categories: ['Concerts'],
}

/** The most frequent requests, by operation; the label distinguishes those of one operation. */
const REQUESTS: Record<string, Record<string, Request>> = {
  listEvents: {
    '': { path: '/events?per_page=5', of: 'events', shows: ['start_date', 'title'] },
    search: {
      path: '/events?search=jazz&categories=concerts&start_date=2027-05-01&end_date=2027-05-31',
      of: 'events',
      shows: ['start_date', 'title'],
    },
  },
  getEvent: { '': { path: '/events/3', shows: ['title', 'start_date', 'timezone'] } },
  createEvent: {
    '': { method: 'POST', path: '/events', signedIn: true, body: EVENT, shows: ['id', 'url'] },
  },
  updateEvent: {
    '': {
      method: 'PATCH',
      path: '/events/3',
      signedIn: true,
      body: { title: 'Sold out: jazz at the Teatre', featured: true },
      shows: ['title', 'featured'],
    },
  },
  upsertEvent: {
    '': {
      method: 'PUT',
      path: '/events/by-external/box-office/show-4711',
      signedIn: true,
      body: { title: EVENT.title, start_date: EVENT.start_date, end_date: EVENT.end_date },
      shows: ['id', 'url'],
    },
  },
  deleteEvent: { '': { method: 'DELETE', path: '/events/3', signedIn: true, shows: ['id', 'status'] } },
  batch: {
    '': {
      method: 'POST',
      path: '/batch',
      signedIn: true,
      body: {
        atomic: true,
        operations: [
          { id: 'hall', method: 'POST', path: '/venues', body: { venue: 'Ateneu', city: 'Vic' } },
          {
            method: 'POST',
            path: '/events',
            body: {
              title: EVENT.title,
              start_date: EVENT.start_date,
              end_date: EVENT.end_date,
              venue: '#hall',
            },
          },
        ],
      },
      of: 'results',
      shows: ['status', 'body'],
    },
  },
  createPreview: {
    '': { method: 'POST', path: '/events/3/preview', signedIn: true, shows: ['url', 'expires_utc'] },
  },
  restoreEvent: {
    '': { method: 'POST', path: '/events/3/restore', signedIn: true, shows: ['id', 'status'] },
  },
  createMedia: {
    '': { method: 'POST', path: '/media', signedIn: true, file: 'poster.jpg', shows: ['id', 'url'] },
  },
  listVenues: { '': { path: '/venues?search=vic', of: 'venues', shows: ['id', 'venue'] } },
  createVenue: {
    '': {
      method: 'POST',
      path: '/venues',
      signedIn: true,
      body: { venue: 'Ateneu', address: 'Carrer Major 12', city: 'Vic' },
      shows: ['id', 'url'],
    },
  },
  listCategories: { '': { path: '/categories', of: 'categories', shows: ['id', 'name', 'count'] } },
}

type Header = [name: string, value: string]

/** The headers of a request; values as JavaScript and Python write them. */
function headersOf({ body, file, signedIn }: Request, token: string): Header[] {
  const headers: Header[] = []
  if (signedIn) headers.push(['Authorization', token])
  if (body) headers.push(['Content-Type', "'application/json'"])
  if (file) headers.push(['Content-Type', "'image/jpeg'"])
  if (file) headers.push(['Content-Disposition', `'attachment; filename="${file}"'`])
  return headers
}

function curl(request: Request): string {
  const { method, path, body, file } = request
  const headers = headersOf(request, '"Authorization: Bearer $ALMANAC_TOKEN"').map(([name, value]) =>
    name === 'Authorization' ? `-H ${value}` : `-H '${name}: ${value.slice(1, -1)}'`,
  )
  return [
    `curl${method && (method !== 'POST' || !(body || file)) ? ` -X ${method}` : ''} '${ROOT}${path}'`,
    ...headers,
    ...(body ? [`-d '${JSON.stringify(body)}'`] : []),
    ...(file ? [`--data-binary @${file}`] : []),
  ].join(' \\\n  ')
}

/** A value as JavaScript and Python write it, on one line if it is short. */
function literal(value: unknown, key: (name: string) => string, indent = ''): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, key)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, one]) => `${key(name)}: ${literal(one, key)}`)
  if (indent === '') return `{ ${members.join(', ')} }`
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}

function javascript(request: Request): string {
  const { method, path, body, file, of, shows } = request
  const options = [
    ...(method ? [`  method: '${method}',`] : []),
    ...headersOf(request, `\`Bearer \${${ENVIRONMENT}.ALMANAC_TOKEN}\``).map(([name, value], at, all) =>
      [at === 0 && '  headers: {\n', `    '${name}': ${value},`, at === all.length - 1 && '\n  },']
        .filter(Boolean)
        .join(''),
    ),
    ...(body ? [`  body: JSON.stringify(${literal(body, (name) => name, '  ')}),`] : []),
    ...(file ? [`  body: await readFile('${file}'),`] : []),
  ]
  const sent = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  const shown = (of: string) => shows.map((name) => `${of}.${name}`).join(', ')
  return [
    ...(file ? ["import { readFile } from 'node:fs/promises'", ''] : []),
    `const response = await fetch('${ROOT}${path}'${sent})`,
    'const answer = await response.json()',
    'if (!response.ok) throw new Error(answer.message)',
    of ? `for (const one of answer.${of}) console.log(${shown('one')})` : `console.log(${shown('answer')})`,
  ].join('\n')
}

function python(request: Request): string {
  const { method, path, body, file, of, shows, signedIn } = request
  const headers = headersOf(request, `'Bearer ' + os.environ['ALMANAC_TOKEN']`)
  const data = body
    ? [
        `    data=json.dumps(${literal(body, (name) => `'${name}'`, '    ').replaceAll('true', 'True')}).encode(),`,
      ]
    : file
      ? [`    data=open('${file}', 'rb').read(),`]
      : []
  const options = [
    `    '${ROOT}${path}',`,
    ...(method ? [`    method='${method}',`] : []),
    ...(headers.length > 0
      ? [`    headers={\n${headers.map(([name, value]) => `        '${name}': ${value},\n`).join('')}    },`]
      : []),
    ...data,
  ]
  const shown = (of: string) => shows.map((name) => `${of}['${name}']`).join(', ')
  return [
    `import json${signedIn ? ', os' : ''}, urllib.request`,
    '',
    options.length > 1
      ? `request = urllib.request.Request(\n${options.join('\n')}\n)`
      : `request = '${ROOT}${path}'`,
    'with urllib.request.urlopen(request) as response:',
    '    answer = json.load(response)',
    of ? `for one in answer['${of}']:\n    print(${shown('one')})` : `print(${shown('answer')})`,
  ].join('\n')
}

/** The code samples of an operation in three languages, each of which runs as it stands; undefined if it has none. */
export function samplesOf(operationId: string): Sample[] | undefined {
  const requests = REQUESTS[operationId]
  if (!requests) return undefined
  return Object.entries(requests).flatMap(([what, request]): Sample[] => {
    const label = (language: string) => (what === '' ? language : `${language}: ${what}`)
    return [
      { lang: 'Shell', label: label('curl'), source: curl(request) },
      { lang: 'JavaScript', label: label('JavaScript'), source: javascript(request) },
      { lang: 'Python', label: label('Python'), source: python(request) },
    ]
  })
}
