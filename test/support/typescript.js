// Loads TypeScript in the tests: compiled once for all processes of all runs, where tap by itself compiles anew in each.
import { register } from 'node:module'

register(new URL('typescript-hooks.js', import.meta.url))
