import { alike } from './alike/en.ts'
import { audit } from './audit/en.ts'
import { drafts } from './drafts/en.ts'
import { factors } from './factors/en.ts'
import { general } from './general/en.ts'
import { history } from './history/en.ts'
import { hooks } from './hooks/en.ts'
import { imports } from './imports/en.ts'
import { limits } from './limits/en.ts'
import { openid } from './openid/en.ts'
import { people } from './people/en.ts'
import { records } from './records/en.ts'
import { repeats } from './repeats/en.ts'
import { site } from './site/en.ts'
import { submissions } from './submissions/en.ts'
import { work } from './work/en.ts'

/** All words of the desk in English, but for errors. */
export const en = {
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
