import * as schemas from '../../../schemas/webhook.ts'
import { VERSION } from '../../package.ts'
import type { ServiceFeature } from '../host.ts'
import { WEBHOOKS_ERRORS, WEBHOOKS_RIGHTS, WEBHOOKS_SETTINGS } from './declarations.ts'
import { type Dispatch, openDispatch } from './dispatch.ts'
import { addMessages } from './openapi.ts'
import { webhookRoutes } from './routes.ts'
import { openAudience } from './sender.ts'
import { openWebhooks, pauseWebhooks, type Webhooks } from './store.ts'

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
  rights: WEBHOOKS_RIGHTS,
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
    app.completions.push(addMessages)
    app.register(webhookRoutes, { service })
  },
}
