import type { Api } from '../../../test/support/app.ts'
import { ROOT } from '../../../test/support/given.ts'
import { type Jar, signInThere } from './provider.ts'

/** What a browser says of a page that it goes to, at the desk or from elsewhere. */
export const FROM_DESK = {
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'navigate',
}
export const FROM_ELSEWHERE = { ...FROM_DESK, 'sec-fetch-site': 'cross-site' }

const cookiesOf = (headers: Record<string, unknown>) => [headers['set-cookie'] ?? []].flat().map(String)

/** Begins to sign in, in a browser with these cookies. Gives where it is sent, and the cookie that it keeps for its way back. */
export async function begin({ anonymous }: Api, query = '', headers: Record<string, string> = {}) {
  const answer = await anonymous.get(`/session/openid${query}`, undefined, {
    headers: { ...FROM_DESK, ...headers },
  })
  const set = cookiesOf(answer.headers)
  return { answer, set, there: answer.headers.location!, cookie: set[0]?.split(';')[0] ?? '' }
}

/** Comes back from the provider. */
export async function come({ anonymous }: Api, back: URL, cookie: string, accept = 'text/html') {
  const answer = await anonymous.get(`/session/openid/callback${back.search}`, undefined, {
    headers: { ...FROM_ELSEWHERE, accept, cookie },
  })
  const set = cookiesOf(answer.headers)
  const session = set.find((one) => /almanac-session=/.test(one))?.split(';')[0]
  return { answer, set, session, to: answer.headers.location }
}

/** Signs in at the provider as `login`, and comes back. */
export async function signIn(
  api: Api,
  login: string,
  { query = '', jar = new Map() as Jar, accept = 'text/html' } = {},
) {
  const { there, cookie } = await begin(api, query)
  const back = await signInThere(there, login, jar)
  return { back, cookie, ...(await come(api, back, cookie, accept)) }
}

/** The session of a cookie, as the desk reads it. */
export const sessionOf = ({ anonymous }: Api, cookie: string, user: number) =>
  anonymous.send({
    method: 'GET',
    url: `${ROOT}/session`,
    headers: { authorization: `Session ${user}`, cookie, 'sec-fetch-site': 'same-origin' },
  })
