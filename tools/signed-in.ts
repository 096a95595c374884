/** What a browser has in which somebody has signed in: the session as the desk keeps it, and its cookie, which the desk can not read. */
export async function signedIn(origin: string, path: string, authorization: string) {
  const answer = await fetch(`${origin}${path}/session/cookie`, {
    method: 'POST',
    headers: { authorization },
  })
  const [name = '', value = ''] = answer.headers.getSetCookie()[0]!.split(';')[0]!.split('=')
  const { hostname: domain } = new URL(origin)
  const safe = { httpOnly: true, secure: false, sameSite: 'Strict' as const }
  return {
    cookies: [{ name, value, domain, path, expires: -1, ...safe }],
    origins: [{ origin, localStorage: [{ name: 'desk.session', value: await answer.text() }] }],
  }
}
