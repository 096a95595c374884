/** A place in the desk, as it stands behind `#` in its address: the parts of its path, and what a list is asked for. */
export type Place = { path: string[]; query: Record<string, string> }

/** A part of a path as it was before it was encoded; as it stands if it never was. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Reads a place from the hash of an address. */
export function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return {
    path: path.split('/').filter(Boolean).map(decode),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** The hash of a place. Members without a value are left out. */
export function hashOf(
  path: (string | number)[],
  query: Record<string, string | number | undefined> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`
}
