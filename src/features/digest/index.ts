import * as schemas from '../../../schemas/digest.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { type ConfigOf, onOrOff, type SettingTable } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { digestPages } from './pages.ts'
import { digestRoutes } from './routes.ts'
import { type Digests, openDigests } from './store.ts'

/** The errors of digests: code, status and meaning. */
const DIGEST_ERRORS = declareErrors({
  'digest-not-found': [404, 'There is no such subscription.'],
  'digest-archive-page-not-found': [404, 'The list of subscriptions has no such page.'],
})

const DIGEST_SETTINGS = {
  DIGEST: {
    default: 'off',
    meaning:
      'on: visitors may subscribe to events by mail, at `/events/digest/`. Needs SMTP_URL, and the pages.',
    read(given, reading) {
      const { must, text } = reading
      const isOn = onOrOff(given, reading)
      return must(
        isOn,
        !isOn || (text('SMTP_URL') !== '' && text('PAGES') === 'on'),
        'off, or set with SMTP_URL and PAGES=on',
      )
    },
  },
} as const satisfies SettingTable

type Errors = typeof DIGEST_ERRORS
type Settings = ConfigOf<typeof DIGEST_SETTINGS>
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** Addresses that events are sent to. */
    digests: Digests
  }
}

/** Events by mail: visitors subscribe on pages, weekly or to what is published. */
export const digest: ServiceFeature = {
  name: 'digest',
  needs: ['pages'],
  settings: DIGEST_SETTINGS,
  errors: DIGEST_ERRORS,
  answers: [schemas.Digest, schemas.DigestPage],
  tags: { Digests: 'Addresses that new events are sent to. For administrators only.' },
  openStore: ({ db, site, keyed, mails, domainEvents }) => ({
    digests: openDigests({ db, site, keyed, mails, domainEvents }),
  }),
  async plugin(app, { config, service }) {
    app.retain({
      remove: service.store.digests.forget,
      failed: 'addresses that nobody confirmed could not be deleted',
    })
    app.register(digestRoutes, { service })
    if (config.digest) app.register(digestPages, { service })
  },
}
