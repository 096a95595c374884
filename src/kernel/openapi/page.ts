import { readFileSync } from 'node:fs'
import { fromRoot } from '../../package.ts'
import { isObject, type Json, rewrite } from './components.ts'
import type { Document } from './document.ts'

const read = (name: string) => readFileSync(fromRoot(`src/kernel/openapi/page/${name}`), 'utf8')
const PLUGIN = read('mend.js') + read('plugin.js')

/** The style of the page, beside that of Swagger UI. */
export const STYLE = read('style.css')

/** The page of the API whose root is at `path`. */
export const page = (path: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Almanac API</title>
<link rel="stylesheet" href="${path}/doc/static/swagger-ui.css">
<link rel="icon" type="image/png" href="${path}/doc/static/favicon-32x32.png">
<link rel="stylesheet" href="${path}/doc/style.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${path}/doc/static/swagger-ui-bundle.js"></script>
<script src="${path}/doc/start.js"></script>
</body>
</html>
`

/** The examples of a parameter as a sentence. */
function examplesOf({ example, examples }: Json): string {
  const all = isObject(examples) ? Object.keys(examples) : [example].flat().map(String)
  return `Example: ${all.map((one) => `\`${one}\``).join(', ')}.`
}

/**
 * The document as the page shows it: Swagger UI fills every field that has an example and sends them all, so that the examples of
 * parameters become words. The plugin fills the IDs of records that exist.
 */
export const unfilled = (document: Document) =>
  rewrite(document, (object) => {
    const { example, examples, ...rest } = object
    const isParameter = typeof object.in === 'string' && object.schema !== undefined
    return isParameter && (example ?? examples) !== undefined
      ? { ...rest, description: `${rest.description} ${examplesOf(object)}` }
      : object
  }) as Document

/**
 * The script of the page: the plugin, and Swagger UI with the document. Omits the browser's own credentials: otherwise it would ask
 * for a login before Swagger UI could show a 401.
 */
export const start = (document: Document) => `${PLUGIN}
SwaggerUIBundle({
  dom_id: '#swagger-ui',
  plugins: [AlmanacPlugin],
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  responseInterceptor: noteCreated,
  spec: ${JSON.stringify(unfilled(document)).replaceAll('<', '\\u003c')},
})
`
