/** A login for somebody with an address of mail, of the characters that logins may have. */
export const loginOf = (email: string): string => {
  const [name = ''] = email.split('@')
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]/g, '')
    .slice(0, 60)
}

/** The first letters of the first two words of a name, for the picture of a person. */
export const initialsOf = (name: string): string =>
  name
    .split(/[\s._@-]+/)
    .flatMap((word) => [...word].slice(0, 1))
    .slice(0, 2)
    .join('')
    .toLocaleUpperCase()

/** An argument of a command in a shell, which leaves it as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

type Request = {
  url: string
  /** A token, or a login with its password. */
  token?: string
  user?: string
  /** What is sent, as JSON. */
  body?: object
}

/** A command that sends a request from a shell. */
export const curlLine = ({ url, token, user, body }: Request): string =>
  [
    'curl',
    ...(token === undefined ? [] : ['-H', quoted(`Authorization: Bearer ${token}`)]),
    ...(user === undefined ? [] : ['-u', quoted(user)]),
    ...(body === undefined
      ? []
      : ['-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body))]),
    quoted(url),
  ].join(' ')
