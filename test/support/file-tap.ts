import type { Test } from 'tap'

let test: Test

/** What is loaded from here on, and imports `tap`, declares its tests in this one. */
export const enter = (next: Test) => {
  test = next
}

/** `tap` for a file that shares its process with others. */
const own = new Proxy({} as Test, {
  get(_target, name) {
    const value = Reflect.get(test, name)
    return typeof value === 'function' ? value.bind(test) : value
  },
})
// biome-ignore lint/style/noDefaultExport: tap has one
export default own
