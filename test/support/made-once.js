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
