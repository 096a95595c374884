// What every process of tests loads before anything else. TypeScript is compiled once for all processes of all runs, where tap by itself compiles
// anew in each; the rest takes out of Node and tap what costs more than the tests themselves.
import asyncHooks from 'node:async_hooks'
import crypto from 'node:crypto'
import { register, syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import processOnSpawn from 'process-on-spawn'

const HOOKS = /"?--import=\S*@tapjs\/processinfo\S*import\.mjs"? ?/

// tap has every process that a test starts load its hooks, which takes a second of processor time at each start. They measure coverage: a
// process whose coverage is not measured is started without them, as it is started elsewhere.
processOnSpawn.addListener((started) => {
  const { NODE_OPTIONS, ...env } = started.env
  if (env._TAPJS_PROCESSINFO_COVERAGE_ !== '0' || NODE_OPTIONS === undefined) return
  const others = NODE_OPTIONS.replace(HOOKS, '')
  started.env = others ? { ...env, NODE_OPTIONS: others } : env
})

// The router, Ajv and others make functions of texts, the same ones for every application that a process builds. Here a function is made
// once of its text. What makes them keeps nothing in the function itself: it passes what they use when it calls them.
const made = new Map()
globalThis.Function = new Proxy(Function, {
  construct(target, texts, caller) {
    const key = texts.join('\0')
    const known = made.get(key) ?? Reflect.construct(target, texts, caller)
    made.set(key, known)
    return known
  },
})

// tap's domains have Node tell them of every promise, to know which test made it, which costs more than many tests. Here tests run one
// after the other, so what is thrown outside of any test fails the one that was declared last, with the stack that tells where it is from.
asyncHooks.createHook = () => ({ enable() {}, disable() {} })
asyncHooks.executionAsyncId = () => 1

// Passwords that people choose are hashed with scrypt, which is meant to take long: 40 ms of a core each time, a tenth of what the tests of
// requests took. Here it takes none. All else is as it was: it runs off the main thread, and another password has another hash.
const { scrypt } = crypto
crypto.scrypt = (password, salt, length, done) => scrypt(password, salt, length, { cost: 2 }, done)

syncBuiltinESMExports()

register(new URL('typescript-hooks.js', import.meta.url))

// Tests are short, so that most of what is optimized for them is not used long enough: that waits until a function has run more
setFlagsFromString('--interrupt-budget=600000')
