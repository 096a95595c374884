/** Counts the groups of other nodes, and tells those who want to know in which tables they wrote. */
export function openApplied() {
  const listeners: { tables: string[]; heard: () => void }[] = []
  let applied = 0
  return {
    /** Groups that were applied. */
    applied: () => applied,
    on: (tables: string[], heard: () => void) => void listeners.push({ tables, heard }),
    /** Notes groups that wrote in these tables; `committed` is done once they can be read. */
    note(groups: number, written: ReadonlySet<string>, committed: () => Promise<unknown>) {
      applied += groups
      const told = listeners.filter(({ tables }) => tables.some((table) => written.has(table)))
      const tell = () => {
        for (const { heard } of told) heard()
      }
      if (told.length > 0) committed().then(tell, tell)
    },
  }
}
