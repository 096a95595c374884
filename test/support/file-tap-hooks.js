const TAP = new URL('file-tap.ts', import.meta.url).href

/** Gives test files the `tap` of their own file. */
export const resolve = (specifier, context, next) =>
  specifier === 'tap' && context.parentURL?.endsWith('.test.ts')
    ? { url: TAP, format: 'module', shortCircuit: true }
    : next(specifier, context)
