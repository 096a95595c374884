/** A request that samples show. */
export type SampleRequest = {
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
/** The requests of operations, by the word that tells those of one operation apart. */
export type SampleRequests = Record<string, Record<string, SampleRequest>>
export type Sample = { lang: 'Shell' | 'JavaScript' | 'Python'; label: string; source: string }

/** The environment in JavaScript, as text; this program itself reads it in one file only, which a test asserts. */
const ENVIRONMENT = ['process', 'env'].join('.')
const ROOT = 'https://calendar.example/calendar/events/v1'
type Header = [name: string, value: string]

/** The headers of a request; values as JavaScript and Python write them. */
function headersOf({ body, file, signedIn }: SampleRequest, token: string): Header[] {
  const headers: Header[] = []
  if (signedIn) headers.push(['Authorization', token])
  if (body) headers.push(['Content-Type', "'application/json'"])
  if (file) headers.push(['Content-Type', "'image/jpeg'"])
  if (file) headers.push(['Content-Disposition', `'attachment; filename="${file}"'`])
  return headers
}

function curl(request: SampleRequest): string {
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

function javascript(request: SampleRequest): string {
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

function python(request: SampleRequest): string {
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

/** The code samples of an operation in three languages, each of which runs as it stands. */
export function samplesOf(requests: Record<string, SampleRequest>): Sample[] {
  return Object.entries(requests).flatMap(([what, request]): Sample[] => {
    const label = (language: string) => (what === '' ? language : `${language}: ${what}`)
    return [
      { lang: 'Shell', label: label('curl'), source: curl(request) },
      { lang: 'JavaScript', label: label('JavaScript'), source: javascript(request) },
      { lang: 'Python', label: label('Python'), source: python(request) },
    ]
  })
}
