import { writeFileSync } from 'node:fs'
import { sourceOf } from './zones.ts'

// npm run zones: writes the names of zones anew, from the tz database of moment-timezone
writeFileSync(new URL('../src/rules/time/zone-rules.ts', import.meta.url), sourceOf())
