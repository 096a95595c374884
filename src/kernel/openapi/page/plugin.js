// What Swagger UI lacks for a reference of this size: chapters, folded parts, code samples, a filter that finds words.
// A plain script of the page /doc, which runs in a browser.

/** The address that the document has in its examples. The page shows its own. */
const EXAMPLE_ROOT = 'https://calendar.example/calendar/events/v1'
/** Parameters that are always shown, unless an operation has few. */
const FIRST = ['page', 'per_page', 'start_date', 'end_date', 'search', 'categories', 'venue', 'status']
/** How many parameters an operation may have before the others are folded. */
const FEW = 10
/** IDs and slugs of what was last created on this page, by collection. */
const created = {}

/** The address of the API, as the page reaches it. */
const rootOf = (system) => new URL(system.specSelectors.servers().getIn([0, 'url'], '/'), location.href).href
const withRoot = (system, text) => text.replaceAll(EXAMPLE_ROOT, rootOf(system))

/** Filters operations by words of their path, summary, method and ID. All words must occur. */
function filterOperations(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (text) => words.every((word) => text.toLowerCase().includes(word))
  return tags
    .map((tag, name) =>
      tag.update('operations', (all) =>
        all.filter((one) =>
          matches(
            [
              name,
              one.get('method'),
              one.get('path'),
              one.getIn(['operation', 'summary'], ''),
              one.getIn(['operation', 'operationId'], ''),
            ].join(' '),
          ),
        ),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0)
}

/** Whether an operation is another way to do the same: a twin, or a write by slug. */
const isAside = (one) =>
  one.getIn(['operation', 'deprecated']) === true ||
  (one.get('method') !== 'get' && one.get('path').includes('/by-slug/'))

/** Remembers what a request of this page created. */
// biome-ignore lint/correctness/noUnusedVariables: start.js uses it
function noteCreated(response) {
  const { id, slug } = response.body ?? {}
  const collection = /\/(\w+)\/?(\?|$)/.exec(response.url)?.[1]
  if (response.status !== 201 || id === undefined || collection === undefined) return response
  created[collection] = { id, slug }
  return response
}

/** A record for the path of an operation: what this page created; for a read otherwise the first of the list. */
async function suggest(system, collection, method) {
  if (created[collection] || method !== 'get') return created[collection]
  const query = 'per_page=1&hide_empty=false&starts_after=1970-01-01'
  const response = await fetch(`${rootOf(system)}/${collection}?${query}`, { credentials: 'omit' })
  return response.ok ? (await response.json())[collection]?.[0] : undefined
}

/** Fills the ID or slug of an operation that is about to be tried. */
async function fillPath(system, [path, method], parameters) {
  const parameter = parameters.find((one) => one.get('in') === 'path')
  const [, collection] = path.split('/')
  if (!parameter || path.split('{').length > 2) return
  const record = await suggest(system, collection, method).catch(() => undefined)
  const value = record?.[parameter.get('name')]
  if (value) system.specActions.changeParamByIdentity([path, method], parameter, String(value), false)
}

/** Follows the colours of the system. */
function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
  dark.addEventListener('change', follow)
  follow()
}

/** The plugin, as Swagger UI takes it. */
// biome-ignore lint/correctness/noUnusedVariables: start.js uses it
function AlmanacPlugin(system) {
  const { React } = system
  const h = React.createElement
  followColours()
  mendChanges()

  const Fold = ({ label, children, open }) =>
    h('details', { className: 'fold', open }, h('summary', null, label), children)

  /** The samples of an operation, one language at a time. */
  const Samples = ({ samples }) => {
    const [at, choose] = React.useState(0)
    const Code = system.getComponent('HighlightCode', true)
    const { lang, source } = samples[at]
    return h(
      'div',
      { className: 'samples' },
      h(
        'div',
        { className: 'samples-tabs', role: 'tablist', 'aria-label': 'Code samples' },
        samples.map(({ label }, index) =>
          h(
            'button',
            {
              key: label,
              type: 'button',
              role: 'tab',
              'aria-selected': index === at,
              onClick: () => choose(index),
            },
            label,
          ),
        ),
      ),
      h(
        Code,
        { language: lang === 'Shell' ? 'bash' : 'javascript', canCopy: true },
        withRoot(system, source),
      ),
    )
  }

  /** The chapters of a long text, folded except for the first. */
  const Chapters = ({ Original, source, ...rest }) => {
    const [lead, ...chapters] = source.split(/^## /m)
    return h(
      'div',
      { className: 'chapters' },
      h(Original, { ...rest, source: lead }),
      chapters.map((chapter, at) => {
        const end = chapter.indexOf('\n')
        const title = chapter.slice(0, end)
        return h(
          Fold,
          { key: title, label: h('h2', null, title), open: at === 0 },
          h(Original, { ...rest, source: chapter.slice(end) }),
        )
      }),
    )
  }

  return {
    fn: { opsFilter: filterOperations },
    components: {
      FilterContainer: () => {
        const current = system.layoutSelectors.currentFilter()
        const tags = [...system.specSelectors.taggedOperations().keys()]
        return h(
          'div',
          { className: 'filter wrapper' },
          h(
            'nav',
            { className: 'contents', 'aria-label': 'Contents' },
            h(
              'ul',
              null,
              tags.map((tag) =>
                h('li', { key: tag }, h('a', { href: `#operations-tag-${tag.replaceAll(' ', '_')}` }, tag)),
              ),
            ),
          ),
          h('input', {
            className: 'operation-filter-input',
            type: 'search',
            'aria-label': 'Filter operations',
            placeholder: 'Filter operations, for example: delete image',
            value: typeof current === 'string' ? current : '',
            onChange: (event) => system.layoutActions.updateFilter(event.target.value),
          }),
        )
      },
    },
    wrapComponents: {
      // the path of an operation stands in the button that opens it, which can contain no link
      DeepLink: (Original) => (props) =>
        props.path?.includes('/') ? h('span', { className: 'nostyle' }, props.text) : h(Original, props),
      Markdown: (Original) => (props) => {
        const source = withRoot(system, props.source ?? '')
        return h(/^## /m.test(source) ? Chapters : Original, { ...props, source, Original })
      },
      // Swagger UI draws only what is near the window once a list has 150 tags and operations together, and then puts no operation into
      // its tag: nothing is folded, and a browser's search finds little. A list for each tag stays shorter.
      operations: (Original) => (props) => {
        const { specSelectors } = props
        const tags = specSelectors.taggedOperations()
        if (tags.size === 0) return h(Original, props) // says that there are none
        return [...tags.keys()].map((name) => {
          const taggedOperations = () => tags.filter((_, one) => one === name)
          return h(Original, { ...props, key: name, specSelectors: { ...specSelectors, taggedOperations } })
        })
      },
      OperationTag: (Original) => (props) => {
        const [open, show] = React.useState(false)
        const aside = props.tagObj.get('operations').filter(isAside).size
        const filter = system.layoutSelectors.currentFilter()
        const folded = aside > 0 && !open && (typeof filter !== 'string' || filter === '')
        return h(
          'div',
          { className: folded ? 'tag-folded' : '' },
          h(Original, props),
          folded &&
            h(
              'button',
              { type: 'button', className: 'more', onClick: () => show(true) },
              `${aside} more: writes by slug, and PUT and POST, which do the same as PATCH`,
            ),
        )
      },
      parameters: (Original) => (props) => {
        const [open, show] = React.useState(false)
        const { parameters, pathMethod, tryItOutEnabled } = props
        React.useEffect(() => {
          if (tryItOutEnabled) fillPath(system, pathMethod, parameters)
        }, [tryItOutEnabled])
        const shown =
          !open && parameters.size > FEW
            ? parameters.filter((one) => one.get('required') || FIRST.includes(one.get('name')))
            : parameters
        const samples = props.operation.get('x-codeSamples')
        return h(
          React.Fragment,
          null,
          samples && h(Samples, { samples: samples.toJS() }),
          h(Original, { ...props, parameters: shown }),
          parameters.size > shown.size &&
            h(
              'button',
              { type: 'button', className: 'more', onClick: () => show(true) },
              `${parameters.size - shown.size} more parameters`,
            ),
        )
      },
      headers: (Original) => (props) =>
        props.headers?.size > 0 &&
        h(Fold, { label: `${props.headers.size} response headers` }, h(Original, props)),
      responses: (Original) => (props) => {
        const [open, show] = React.useState(false)
        const { responses } = props
        const shown = open ? responses : responses.filter((_, status) => status.startsWith('2'))
        const others = [...responses.keys()].filter((status) => !shown.has(status))
        return h(
          React.Fragment,
          null,
          h(Original, { ...props, responses: shown }),
          others.length > 0 &&
            h(
              'button',
              { type: 'button', className: 'more', onClick: () => show(true) },
              `Other responses: ${others.join(', ')}`,
            ),
        )
      },
    },
  }
}
