import { existsSync } from 'node:fs'
import type { Branding } from '../../calendar/branding.ts'
import { family } from '../../calendar/resource/service.ts'
import { HTML } from '../../kernel/output/header-values.ts'
import { type Packed, pack, sendPacked } from '../../kernel/output/negotiation.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { type ConfigOf, onOrOff, type SettingTable } from '../../kernel/settings.ts'
import type { Site } from '../../kernel/site.ts'
import { html, textOf } from '../../kernel/text/markup.ts'
import { fromRoot } from '../../package.ts'
import type { ServiceFeature } from '../host.ts'
import { type Source, sourcesText } from '../imports/settings.ts'
import { addFileRoute, assetAt, bare, openFiles, shipped } from '../pages/assets.ts'
import { accentOf, type PageSettings } from '../pages/pages.ts'
import { nameOfProvider } from '../people/openid/provider.ts'

const DESK_SETTINGS = {
  DESK: {
    default: 'on',
    meaning: 'on: the desk of the editors, at `/desk/`; off: there is none.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof DESK_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}

/** The desk of the editors: the program that the build has made, for browsers. */
export const desk: ServiceFeature = {
  name: 'desk',
  needs: ['pages', 'people', 'imports'],
  settings: DESK_SETTINGS,
  async plugin(app, { config, service }) {
    const { site, branding } = service
    const opened = config.desk ? openDesk(config, site, branding, nameOfProvider(config)) : undefined
    if (opened) app.register(deskRoutes(opened), { service })
  },
}

/** The rules of the public style sheet that set its colours and type: the blocks that are about `:root`. */
export function tokensOf(css: string): string {
  const blocks: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{') depth++
    if (css[at] !== '}' || --depth > 0) continue
    blocks.push(css.slice(start, at + 1).trim())
    start = at + 1
  }
  return blocks.filter((block) => block.includes(':root')).join('\n')
}

/**
 * The tokens of the desk. What the public style sheet says of its element in pages of others, whose host may choose a theme, holds here for
 * whatever is shown in a theme of its own: `.themed` with `data-theme`.
 */
const bareTokens = (css: string) =>
  tokensOf(bare(css)).replaceAll(/:host(?:\((.*?\]\)?)\))?/g, (_, theme: string) =>
    theme ? `.themed${theme.replace('theme=', 'data-theme=')}` : '.themed',
  )

/**
 * The desk as the build has made it: its page, and its files by name. Undefined if it was not built, as in a checkout whose tests run
 * before its first build.
 */
export function openDesk(
  settings: PageSettings & {
    mirror?: Source[] | undefined
    mirrorWrites?: 'refuse' | 'forward'
    smtpUrl?: string
    localSignIn: boolean
  },
  { languages, zone, currency }: Pick<Site, 'languages' | 'zone' | 'currency'>,
  branding: () => Branding,
  provider?: string | undefined,
  folder = fromRoot('dist/desk/'),
) {
  if (!existsSync(new URL('desk.js', folder))) return undefined
  const path = new URL(settings.baseUrl).pathname.replace(/\/$/, '')
  const files = openFiles(`${path}/desk/assets`)
  const { add } = files
  const built = (name: string) => shipped(new URL(name, folder))
  const tokens = ['calendar.css', 'embed.css'].map((name) => shipped(assetAt(name), bareTokens)).join('\n')
  const styles = built('desk.css')
  const source = sourcesText(settings.mirror)
  const forwards = settings.mirrorWrites === 'forward' && html` data-forwards="yes"`
  const mails = settings.smtpUrl ? html` data-mails="yes"` : false
  const mirrored = source !== undefined && html` data-mirror="${source}"${forwards}`
  const signing = [
    provider !== undefined && html` data-openid="${provider}"`,
    !settings.localSignIn && html` data-local="off"`,
  ]
  const script = add('desk', '.js', built('desk.js'))
  const icon = add('icon', '.svg', shipped(assetAt('icon.svg')))
  const pageOf = ({ name, color, asks }: Branding) => {
    const style = add('desk', '.css', tokens + accentOf(color) + styles)
    return pack(
      textOf(html`<!doctype html>
<html lang="en" data-api="${path}/${settings.namespace}" data-site="${name}" data-home="${settings.pages && `${path}/`}" data-languages="${languages.join()}" data-zone="${zone}" data-currency="${currency}"${asks && html` data-asks="yes"`}${mails}${mirrored}${signing}${settings.submissions && html` data-submits="yes"`}${settings.digest && html` data-digests="yes"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<noscript><p>The desk needs JavaScript.</p><p lang="ca">La redacció necessita JavaScript.</p><p lang="es">La redacción necesita JavaScript.</p></noscript>
</body>
</html>
`),
      HTML,
    )
  }
  let shown: Branding | undefined
  let page: Packed
  /** The page as the site looks now. */
  const current = (): Packed => {
    const now = branding()
    if (now !== shown) page = pageOf(now)
    shown = now
    return page
  }
  return {
    page: current,
    /** A file by its name. */
    file(name: string): Packed | undefined {
      current()
      return files.get(name)
    },
  }
}
export type Desk = NonNullable<ReturnType<typeof openDesk>>

/** The desk of the editors: one page, whose parts stand behind `#` in its address, and the files that it loads. */
const deskRoutes = (desk: Desk) =>
  family('the desk', async (app) => {
    app.get(`${SITE}/desk`, { schema: { hide: true }, config: { page: 'desk' } }, (request, reply) =>
      sendPacked(request, reply, desk.page()),
    )
    addFileRoute(app, `${SITE}/desk/assets`, desk.file)
  })
