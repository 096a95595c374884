import { alike } from './alike/ca.ts'
import { audit } from './audit/ca.ts'
import { drafts } from './drafts/ca.ts'
import type { en } from './en.ts'
import { factors } from './factors/ca.ts'
import { general } from './general/ca.ts'
import { history } from './history/ca.ts'
import { hooks } from './hooks/ca.ts'
import { imports } from './imports/ca.ts'
import { limits } from './limits/ca.ts'
import { openid } from './openid/ca.ts'
import { people } from './people/ca.ts'
import { records } from './records/ca.ts'
import { repeats } from './repeats/ca.ts'
import { site } from './site/ca.ts'
import { submissions } from './submissions/ca.ts'
import type { WordsOf } from './translation.ts'
import { work } from './work/ca.ts'

/** All words of the desk in Catalan, but for errors. */
export const ca: WordsOf<typeof en> = {
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
