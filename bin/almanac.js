#!/usr/bin/env node
// The program is what `npm run build` makes. This file also runs where the program can not, and says why.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OLDEST = 20
const program = new URL('../dist/almanac.js', import.meta.url)
const folder = fileURLToPath(new URL('..', import.meta.url))

const refuse = (why) => {
  process.stderr.write(`almanac: ${why}\n`)
  process.exitCode = 1
}

async function start() {
  if (Number.parseInt(process.versions.node, 10) < OLDEST)
    return refuse(
      `Node.js ${process.versions.node} is too old; install version ${OLDEST} or newer, then run npm ci again`,
    )
  if (!existsSync(program))
    return refuse(`${fileURLToPath(program)} is missing; in ${folder}, run: npm ci && npm run build`)
  try {
    await import(program.href)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    refuse(`a package is missing; in ${folder}, run: npm ci --omit=dev (${error.message.split('\n')[0]})`)
  }
}

await start()
