import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { openLingering } from '../../../src/kernel/server/connections.ts'

const MIB = 2 ** 20

/** A connection that tells whether its rest was left unread; `close` ends it after so many bytes. */
function connection() {
  const events = new EventEmitter()
  const socket = {
    ...{ bytesRead: 100, paused: false, destroySoon: () => {}, end: () => socket },
    pause: () => Object.assign(socket, { paused: true }),
    destroy: () => socket,
    once: (event: 'close', done: () => void) => events.once(event, done),
    close(bytes: number) {
      socket.bytesRead += bytes
      events.emit('close')
    },
  }
  return socket as never as typeof socket & Parameters<ReturnType<typeof openLingering>>[0]
}

t.test('the rest of refused requests is read as long as little was read lately', async (t) => {
  let now = 5_000
  const linger = openLingering(() => now)
  const refuse = async () => {
    const socket = connection()
    linger(socket)
    socket.destroySoon()
    await nextTurn()
    return socket
  }
  const first = await refuse()
  t.notOk(first.paused)
  first.close(31 * MIB)
  const second = await refuse()
  t.notOk(second.paused, 'there is room for a part of it')
  second.close(17 * MIB)
  t.ok((await refuse()).paused, 'more was read than there was room for')
  now += 2_000
  t.ok((await refuse()).paused, 'what was read too much is made up for')
  now += 1
  const third = await refuse()
  t.notOk(third.paused)
  third.close(0)
  now += 3_600_000
  const later = await refuse()
  later.close(33 * MIB)
  t.ok((await refuse()).paused, 'no room is saved up')
})
