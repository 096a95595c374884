#!/usr/bin/env node
import { existsSync } from 'node:fs'

// what `npm run build` made starts in half the time of the source, and needs less memory
const built = new URL('../dist/almanac.js', import.meta.url)
if (existsSync(built)) await import(built.href)
else {
  const { register } = await import('tsx/esm/api')
  register()
  await import('../src/main.ts')
}
