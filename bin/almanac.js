#!/usr/bin/env node
// Runs the program that `npm run build` makes. This file also runs where the program can not, and says why.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import vm from 'node:vm'

const OLDEST = 20
const folder = fileURLToPath(new URL('..', import.meta.url))
const program = join(folder, 'dist/almanac.cjs')

const refuse = (why) => {
  process.stderr.write(`almanac: ${why}\n`)
  process.exitCode = 1
}

/** Where is kept what V8 has compiled of a program: of these sources, by this version of V8 and with its settings. */
function compiledOf(source) {
  const [, signature] = /^\/\/ built of (\w+)$/m.exec(source.slice(-100)) ?? []
  return signature && join(dirname(program), 'compiled', `${signature}-${cachedDataVersionTag()}`)
}

const HASH = 32
const hashOf = (bytes) => createHash('sha256').update(bytes).digest()

/** V8 takes what it is given, and a file that was damaged, as by a power failure, would end the process; so a hash is behind it. */
function read(file) {
  try {
    const bytes = readFileSync(file)
    const compiled = bytes.subarray(0, -HASH)
    return hashOf(compiled).equals(bytes.subarray(-HASH)) ? compiled : undefined
  } catch {
    return undefined
  }
}

function keep(file, script) {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const partial = `${file}.${process.pid}`
    const compiled = script.createCachedData()
    writeFileSync(partial, Buffer.concat([compiled, hashOf(compiled)]))
    renameSync(partial, file) // in one step, because another process may be starting
  } catch {} // where nothing can be written, the next start takes a little longer
}

/** Loads the program as Node.js does, but with what V8 compiled when it was loaded before, which is half of the time until it runs. */
async function load() {
  const source = readFileSync(program, 'latin1') // all of it is ASCII
  const file = compiledOf(source)
  const cachedData = file && read(file)
  const script = new vm.Script(source, { filename: program, cachedData })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(program), module, program, dirname(program))
  await module.exports.started
  if (file && script.cachedDataRejected !== false) keep(file, script)
}

async function start() {
  if (Number.parseInt(process.versions.node, 10) < OLDEST)
    return refuse(
      `Node.js ${process.versions.node} is too old; install version ${OLDEST} or newer, then run npm ci again`,
    )
  if (!existsSync(program)) return refuse(`${program} is missing; in ${folder}, run: npm ci && npm run build`)
  try {
    await load()
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    refuse(`a package is missing; in ${folder}, run: npm ci --omit=dev (${error.message.split('\n')[0]})`)
  }
}

await start()
