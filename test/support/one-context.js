// What tap's domains take for `async_hooks`. Theirs tell every promise which test made it, which costs more than many tests. Here tests
// run one after the other, so what is thrown outside of any promise belongs to the one that began last.
export const createHook = () => ({ enable() {}, disable() {} })
export const executionAsyncId = () => 1
