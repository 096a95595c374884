import type { Document } from './document.ts'

/** Lines that can be read; no locks, which would show public operations as closed. */
export const STYLE = `body { margin: 0 }
.swagger-ui .wrapper { max-width: 1080px }
.swagger-ui .info { margin: 40px 0 24px }
.swagger-ui .info .markdown, .swagger-ui .opblock-description { max-width: 46rem; line-height: 1.5 }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #34495e; font-weight: 500 }
.swagger-ui .scheme-container { padding: 16px 0; margin-bottom: 16px }
.swagger-ui .opblock-summary .authorization__btn { display: none }
.swagger-ui .parameters-col_description .renderedMarkdown p { font-size: 14px; margin: 0 0 4px }
`

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

/** Omits the browser's own credentials: otherwise it would ask for a login before Swagger UI could show a 401. */
export const start = (document: Document) => `SwaggerUIBundle({
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  spec: ${JSON.stringify(document).replaceAll('<', '\\u003c')},
})
`
