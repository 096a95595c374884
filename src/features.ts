import type { ServiceFeature } from './features/host.ts'
import { webhooks } from './features/webhooks/index.ts'

/** The capabilities that the service has beside the calendar. Without its line here, a feature is absent. */
export const FEATURES: readonly ServiceFeature[] = [webhooks]
