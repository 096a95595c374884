type Tree = Map<string, Tree>

function plant(fields: string): Tree {
  const tree: Tree = new Map()
  for (const path of fields.split(',')) {
    const names = path.trim().split('.')
    let at = tree
    for (const [depth, name] of names.entries()) {
      const known = at.get(name)
      // a member that was selected as a whole stays whole
      if (known?.size === 0) break
      const below: Tree = depth === names.length - 1 ? new Map() : (known ?? new Map())
      at.set(name, below)
      at = below
    }
  }
  return tree
}

function trim(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => trim(item, tree))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      tree.has(name) ? [[name, trim(member, tree.get(name)!)]] : [],
    ),
  )
}

/** The JSON with only the members in `_fields`; a dot selects a member of an object, or of each object in a list (D28). */
export const trimFields = (json: Buffer, fields: string): Buffer =>
  Buffer.from(JSON.stringify(trim(JSON.parse(json.toString()), plant(fields))))
