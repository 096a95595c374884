import { alike } from './alike/es.ts'
import { audit } from './audit/es.ts'
import { drafts } from './drafts/es.ts'
import type { en } from './en.ts'
import { factors } from './factors/es.ts'
import { general } from './general/es.ts'
import { history } from './history/es.ts'
import { hooks } from './hooks/es.ts'
import { imports } from './imports/es.ts'
import { limits } from './limits/es.ts'
import { openid } from './openid/es.ts'
import { people } from './people/es.ts'
import { records } from './records/es.ts'
import { repeats } from './repeats/es.ts'
import { site } from './site/es.ts'
import { submissions } from './submissions/es.ts'
import type { WordsOf } from './translation.ts'
import { work } from './work/es.ts'

/** All words of the desk in Spanish, but for errors. */
export const es: WordsOf<typeof en> = {
  ...general,
  ...alike,
  ...audit,
  ...drafts,
  ...factors,
  ...history,
  ...hooks,
  ...imports,
  ...limits,
  ...people,
  ...openid,
  ...records,
  ...repeats,
  ...site,
  ...submissions,
  ...work,
}
