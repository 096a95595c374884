import type { FastifyReply, FastifyRequest } from 'fastify'
import { Settings, SettingsUpdate } from '../../../schemas/settings.ts'
import { VARIABLES } from '../../../schemas/site-variables.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { etagOf } from '../../kernel/output/header-values.ts'
import { readColour } from '../branding.ts'
import { openCollection } from '../resource/collection.ts'
import { family } from '../resource/service.ts'
import { guarded } from '../resource/writes.ts'
import { RIGHTS } from '../rights.ts'
import { SETTINGS_CHANGE, type SettingsChange } from '../store.ts'

const AREA = {
  tag: 'Settings',
  permission: { right: RIGHTS['change the settings of the site'], to: 'change the settings of the site' },
} as const
const PATH = '/settings'
const CURRENCIES = Intl.supportedValuesOf('currency')

type Name = keyof typeof VARIABLES
const NAMES = Object.keys(VARIABLES) as Name[]

/** The settings of the site that administrators may change. What the environment sets is shown, and can not be changed. */
export const settingsRoutes = family('settings', async (app, service) => {
  const { branding, given, base } = service
  const { settings, media } = service.store
  const { add } = openCollection(app, service, AREA)
  publishBody(app, SettingsUpdate, Settings)
  const locked = NAMES.filter((name) => given.includes(VARIABLES[name]))

  function show() {
    const { name, color, logo: file, links } = branding()
    const { logo, confirmed = false } = settings.chosen()
    return {
      name,
      color,
      ...(file !== undefined && { logo, logo_url: `${base}/media/${file}` }),
      links: links.map(({ text, url }) => ({ text, url: new URL(url, base).href })),
      ...settings.stored(),
      confirmed,
      locked,
      held: settings.isHeld(),
    }
  }
  const jsonOf = () => [Buffer.from(JSON.stringify(show()))]
  /** The settings as they are, with their ETag. */
  function current(reply: FastifyReply) {
    const json = jsonOf()
    reply.header('etag', etagOf(json[0]!))
    return json
  }

  /** What is wrong with a body. */
  async function problemsOf(body: SettingsUpdate, request: FastifyRequest): Promise<Problems> {
    const problems: Problems = {}
    const now = show()
    for (const name of locked)
      if (body[name] !== undefined && JSON.stringify(body[name]) !== JSON.stringify(now[name]))
        problems[name] = `is set by the variable ${VARIABLES[name]} of the environment; change it there.`
    const { color, currency, logo } = body
    if (color && readColour(color) === undefined) problems.color ??= 'must be a colour such as #b5341c.'
    if (currency && !CURRENCIES.includes(currency.toUpperCase()))
      problems.currency ??= 'must be an ISO 4217 code such as EUR.'
    if (typeof logo === 'number')
      await media.find(logo, request.caller).catch(() => {
        problems.logo ??= `There is no picture ${logo}; upload it with POST /media.`
      })
    return problems
  }

  add({
    method: 'GET',
    url: PATH,
    operation: 'read',
    operationId: 'getSettings',
    summary: 'Read the settings of the site',
    description:
      'Returns how the site shows itself and what its records are written with. `locked` names the members that the environment of the service sets.',
    answer: 'Settings',
    handle: async (_request, reply) => current(reply),
  })
  add({
    method: 'PATCH',
    url: PATH,
    operation: 'update',
    operationId: 'updateSettings',
    summary: 'Change the settings of the site',
    description:
      'Sets what is sent; `null` means the default. Name, colour, logo and links show at once. `timezone`, `currency` and `languages` can be set while there are no records: the service then starts anew with them, within seconds.',
    errors: ['rest_precondition_failed'],
    answer: 'Settings',
    body: 'SettingsUpdate',
    async handle(request, reply) {
      const body = request.body as SettingsUpdate
      refuse(await problemsOf(body, request))
      const { timezone, currency, languages, ...chosen } = body
      const stored = {
        ...(timezone && { timezone }),
        ...(currency && { currency: currency.toUpperCase() }),
        ...(languages && { languages }),
      }
      const isSaid = Object.keys(stored).length > 0
      const change = { ...(isSaid && { confirmed: true }), ...chosen, ...stored } as SettingsChange
      for (const name of locked) delete change[name]
      await guarded(
        request,
        reply,
        service.store,
        SETTINGS_CHANGE.kind,
        async () => ({ id: SETTINGS_CHANGE.id, json: jsonOf() }),
        (guard) => settings.change(change, actorOf(request), guard),
      )
      return current(reply)
    },
  })
})
