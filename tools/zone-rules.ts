import { writeFileSync } from 'node:fs'
import { sourceOf, windowsSource } from './zones.ts'

// npm run zones: writes the names of zones anew, from the tz database of moment-timezone, and those of Windows from the CLDR
const write = (name: string, text: string) =>
  writeFileSync(new URL(`../src/kernel/time/${name}.ts`, import.meta.url), text)
write('zone-rules', sourceOf())
write('windows-zones', windowsSource())
