import { audit } from './features/audit/index.ts'
import { batch } from './features/batch/index.ts'
import { desk } from './features/desk/index.ts'
import { digest } from './features/digest/index.ts'
import { exports } from './features/exports/index.ts'
import { feeds } from './features/feeds/index.ts'
import { history } from './features/history/index.ts'
import type { ServiceFeature } from './features/host.ts'
import { imports } from './features/imports/index.ts'
import { nodes } from './features/nodes/index.ts'
import { pages } from './features/pages/index.ts'
import { people } from './features/people/index.ts'
import { previews } from './features/previews/index.ts'
import { submissions } from './features/submissions/index.ts'
import { sync } from './features/sync/index.ts'
import { webhooks } from './features/webhooks/index.ts'
import { wordpress } from './features/wordpress/index.ts'

/** The capabilities that the service has beside the calendar. Without its line here, a feature is absent. */
export const FEATURES: readonly ServiceFeature[] = [
  wordpress,
  batch,
  sync,
  webhooks,
  feeds,
  exports,
  imports,
  people,
  pages,
  desk,
  submissions,
  digest,
  history,
  previews,
  audit,
  nodes,
]
