// SHA-256 (FIPS 180-4): what browsers have of it is for pages with HTTPS only, and slow for many short texts.
const primes = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n)
/** The first 32 bits of the fraction of a root. */
const fraction = (root) => ((root % 1) * 2 ** 32) | 0
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = primes.map((prime) => fraction(Math.cbrt(prime)))
const turn = (word, by) => (word >>> by) | (word << (32 - by))
const words = new Int32Array(64)

/** Mixes a block of 64 bytes into a state. */
function mix(state, bytes, at) {
  for (let t = 0; t < 16; t++, at += 4)
    words[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
  for (let t = 16; t < 64; t++) {
    const [x, y] = [words[t - 15], words[t - 2]]
    const one = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const other = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    words[t] = one + words[t - 7] + other + words[t - 16]
  }
  let [a, b, c, d, e, f, g, h] = state
  for (let t = 0; t < 64; t++) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t]
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (word + state[at]) | 0)
}

/** The first 32 bits of the hash of a text of ASCII. */
function hashOf(text) {
  const bytes = new Uint8Array(64 * Math.ceil((text.length + 9) / 64))
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  bytes[text.length] = 128
  new DataView(bytes.buffer).setUint32(bytes.length - 4, 8 * text.length)
  let state = START
  for (let at = 0; at < bytes.length; at += 64) state = mix(state, bytes, at)
  return state[0]
}

/** Texts that are tried before others have their turn. */
const STEP = 2_000

/** Finds the text with which the challenge of a form is solved, from the moment on at which somebody begins to fill it in. */
export function proveFor(form) {
  const { challenge, nonce } = form.elements
  const bits = Number(form.dataset.bits)
  let isBegun = false
  let isWanted = false
  let next = 0
  function look() {
    for (const end = next + STEP; next < end; next++)
      if (Math.clz32(hashOf(`${challenge.value}.${next}`)) >= bits) {
        nonce.value = next
        if (isWanted) form.submit()
        return
      }
    setTimeout(look)
  }
  const begin = () => {
    if (!isBegun) look()
    isBegun = true
  }
  form.addEventListener('focusin', begin)
  form.addEventListener('submit', (event) => {
    if (nonce.value) return
    event.preventDefault()
    isWanted = true
    begin()
  })
}
