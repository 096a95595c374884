/** What a file is compiled to, kept under its path and content. */
export function compiled(path: string): string
