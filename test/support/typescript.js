// Loads TypeScript in the tests: compiled once for all processes of all runs, where tap by itself compiles anew in each.
import { register } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import './bare-children.js'
import './made-once.js'
import './one-context.js'
import './quick-passwords.js'

register(new URL('typescript-hooks.js', import.meta.url))

// Tests are short, so that most of what is optimized for them is not used long enough: that waits until a function has run more
setFlagsFromString('--interrupt-budget=600000')
