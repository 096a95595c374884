import { Transform } from 'node:stream'

const RESULT = /^( *)(not )?ok \d+ - (.*?)(?: # (?:time=([\d.]+)ms|(SKIP|TODO).*))?$/
const SUBTEST = /^( *)# Subtest: (.*)$/
/** A plan, an end of a plan's time, or nothing. */
const SILENT = /^ *(?:\d+\.\.\d+|# time=[\d.]+ms|)$/
/** Failures that are told whole again at the end. */
const TOLD_AGAIN = 20

/**
 * What a run of tests prints in place of TAP: a line for each file of a group, or for each test of a file that runs by itself,
 * when it has ended; what tests themselves print; each failure with its details, at once and again at the end.
 */
export class Reporter extends Transform {
  /** How deep tests lie that are told even if they pass. */
  #depth
  #rest = ''
  /** Tests that are open, by their depth, with the number of failures when they began. */
  #open = []
  /** Names of failed assertions with their details, a line each. */
  #failures = []
  /** Where details that follow are added to, while they do. */
  #details = null
  #inDetails = false
  /** How many there were, which tap tells before coverage. */
  #totals = ''

  constructor({ depth = 1 } = {}) {
    super({ decodeStrings: false, encoding: 'utf8' })
    this.#depth = depth
  }

  _transform(chunk, _encoding, done) {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) this.#read(line)
    done()
  }

  _flush(done) {
    this.#read(this.#rest)
    for (const failure of this.#failures.slice(0, TOLD_AGAIN)) this.#print(...failure)
    const more = this.#failures.slice(TOLD_AGAIN)
    for (const [title] of more) this.#print(title)
    if (this.#totals) this.#print(this.#totals)
    done()
  }

  #print(...lines) {
    for (const line of lines) this.push(`${line}\n`)
  }

  #read(line) {
    if (this.#inDetails) return this.#readDetails(line)
    if (/^ *---$/.test(line)) this.#inDetails = true
    else {
      this.#details = null
      const subtest = SUBTEST.exec(line)
      const result = RESULT.exec(line)
      if (subtest) this.#begin(subtest[1].length / 4, subtest[2])
      else if (line.startsWith('# {')) this.#totals = line
      else if (result) this.#end(result[1].length / 4, result)
      else if (!SILENT.test(line) && !line.startsWith('TAP version')) this.#print(line)
    }
  }

  #readDetails(line) {
    if (/^ *\.\.\.$/.test(line)) this.#inDetails = false
    else if (this.#details) {
      this.#details.push(line)
      this.#print(line)
    }
  }

  #begin(depth, name) {
    this.#open.length = depth
    this.#open.push({ name, failures: this.#failures.length })
  }

  #end(depth, [, , failed, name, time, skipped]) {
    const test = this.#open[depth]
    const isTest = test?.name === name
    this.#open.length = Math.min(this.#open.length, depth)
    if (depth <= this.#depth && (isTest || skipped)) {
      const outcome = failed ? 'FAILED' : (skipped ?? 'ok')
      const seconds = ((time ?? 0) / 1000).toFixed(1)
      this.#print(`${outcome.padEnd(7)}${seconds.padStart(7)} s  ${name}`)
    }
    // a test that failed has told why, unless it ended by a signal or out of time
    if (failed && !(isTest && this.#failures.length > test.failures)) this.#fail(name)
  }

  #fail(name) {
    const title = `FAILED  ${[...this.#open.map((test) => test.name), name].join(' > ')}`
    this.#details = [title]
    this.#failures.push(this.#details)
    this.#print(title)
  }
}

// biome-ignore lint/style/noDefaultExport: tap asks for it
export default Reporter
