import * as schemas from '../../../schemas/webhook.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { type ConfigOf, onOrOff, type SettingTable } from '../../kernel/settings.ts'
import { VERSION } from '../../package.ts'
import type { ServiceFeature } from '../host.ts'
import { type Dispatch, openDispatch } from './dispatch.ts'
import { addMessages } from './openapi.ts'
import { webhookRoutes } from './routes.ts'
import { openAudience } from './sender.ts'
import { openWebhooks, pauseWebhooks, type Webhooks } from './store.ts'

/** The errors of webhooks: code, status and meaning. */
const WEBHOOKS_ERRORS = declareErrors({
  'too-many-webhooks': [400, 'There are as many webhooks as are possible.'],
  'webhook-not-found': [404, 'There is no such webhook.'],
  'webhook-delivery-not-found': [404, 'The webhook has no such delivery.'],
  'webhook-archive-page-not-found': [404, 'The list of webhooks has no such page.'],
  'delivery-archive-page-not-found': [404, 'The list of deliveries has no such page.'],
})

const WEBHOOKS_SETTINGS = {
  WEBHOOKS: {
    default: 'on',
    meaning: 'off: nothing is sent to webhooks, for a copy of a calendar.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Errors = typeof WEBHOOKS_ERRORS
type Settings = ConfigOf<typeof WEBHOOKS_SETTINGS>
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    webhooks: Webhooks
  }
}
declare module 'fastify' {
  interface FastifyInstance {
    hooks: Dispatch
  }
}

const ANSWERS = [
  schemas.WebhookState,
  schemas.Webhook,
  schemas.NewWebhook,
  schemas.WebhookPage,
  schemas.WebhookSecret,
  schemas.WebhookDelivery,
  schemas.WebhookDeliveryPage,
]

/** Receivers that are told of changes by signed messages, as Standard Webhooks has it. The process that writes sends them, from the moment when it listens. */
export const webhooks: ServiceFeature = {
  name: 'webhooks',
  needs: ['sync'],
  settings: WEBHOOKS_SETTINGS,
  errors: WEBHOOKS_ERRORS,
  answers: ANSWERS,
  tags: { Webhooks: 'Receivers that are told of changes by signed messages. For administrators only.' },

  openStore({ db, changes, site, domainEvents }) {
    domainEvents.on('user.changed', ({ w, user }) => pauseWebhooks(w, user.id, user))
    domainEvents.on('user.removing', ({ w, user }) => pauseWebhooks(w, user.id, undefined))
    return { webhooks: openWebhooks(db, changes, site) }
  },

  async plugin(app, { config, service, origin, writes, lookup }) {
    const { store } = service
    const hooks = openDispatch(store, {
      audience: openAudience(store, origin),
      log: app.log,
      allow: config.downloadAllow,
      userAgent: `Almanac/${VERSION}`,
      lookup,
    })
    app.decorate('hooks', hooks)
    app.addHook('onClose', () => hooks.stop())
    if (writes && config.webhooks) {
      store.compaction.hold(() => store.webhooks.floor())
      app.addHook('onListen', async () => hooks.start())
    }
    app.measure(({ gauge, outcomes }) => {
      const total = (of: (queue: ReturnType<typeof hooks.queues>[number]) => number) =>
        hooks.queues().reduce((sum, queue) => sum + of(queue), 0)
      outcomes(
        'almanac_webhook_deliveries_total',
        'Tries to deliver messages to webhooks, by outcome: delivered, failed, or given up.',
        () => hooks.counts,
      )
      gauge(
        'almanac_webhook_messages_pending',
        'Messages to webhooks that were not accepted yet.',
        () => total((queue) => queue.pending()),
        'sum',
      )
      gauge(
        'almanac_webhooks_disabled',
        'Webhooks that are disabled, by a person or after failures.',
        () => total((queue) => Number(!queue.hook().enabled)),
        'sum',
      )
    })
    app.documentation.completions.push(addMessages)
    app.register(webhookRoutes, { service })
  },
}
