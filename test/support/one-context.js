// tap's domains have Node tell them of every promise, to know which test made it, which costs more than many tests. Here tests run one
// after the other, so what is thrown outside of any test fails the one that was declared last, with the stack that tells where it is from.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

asyncHooks.createHook = () => ({ enable() {}, disable() {} })
asyncHooks.executionAsyncId = () => 1
syncBuiltinESMExports()
