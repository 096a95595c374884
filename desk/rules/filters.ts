/** Filters of a webhook as lines such as `featured=true`. */
export const filterText = (filters: Record<string, unknown>): string =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`)
    .join('\n')

const readValue = (text: string): unknown => {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Reads such lines. Gives the first line that is none, if there is one. */
export function readFilters(text: string): { filters: Record<string, unknown>; wrong?: string } {
  const filters: Record<string, unknown> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*\S)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) return { filters, wrong: line.trim() }
    filters[name] = readValue(value)
  }
  return { filters }
}
