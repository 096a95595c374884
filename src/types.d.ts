declare module 'content-disposition' {
  export function parse(header: string): { type: string; parameters: Record<string, string> }
}
