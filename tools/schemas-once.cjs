// Loaded ahead of spectral, which compiles the schema of every example at every place where it stands, 16,000 times for some 250 schemas.
const { createRequire } = require('node:module')

const { default: Ajv } = createRequire(require.resolve('@stoplight/spectral-functions'))('ajv/dist/core')
const { compile } = Ajv.prototype
const compiled = new WeakMap()

/** What the same schema was compiled to by this compiler. */
Ajv.prototype.compile = function (schema, ...more) {
  if (!compiled.has(this)) compiled.set(this, new Map())
  const own = compiled.get(this)
  const key = JSON.stringify(schema)
  if (!own.has(key)) own.set(key, compile.call(this, schema, ...more))
  return own.get(key)
}
