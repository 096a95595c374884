/** What changes what others have loaded, and so has a process of its own. */
export const ALONE: string[]
/** The folders of tests that share a process, by the name of its file in `test/groups`. */
export const GROUPS: Record<string, string[]>
/** The files of a group in order. */
export function filesOf(group: string): string[]
/** The files of `npm test`, each in one of so many shares. */
export function quickFiles(shares: number, near?: string): string[][]
