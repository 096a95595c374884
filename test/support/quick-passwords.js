// Passwords that people choose are hashed with scrypt, which is meant to take long: 40 ms of a core each time, a tenth of what the tests of
// requests took. Here it takes none. All else is as it was: it runs off the main thread, and another password has another hash.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
crypto.scrypt = (password, salt, length, done) => scrypt(password, salt, length, { cost: 2 }, done)
syncBuiltinESMExports()
