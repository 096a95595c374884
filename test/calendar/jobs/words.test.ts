import { join } from 'node:path'
import t from 'tap'
import { mergeWords } from '../../../src/calendar/jobs.ts'
import type { Later } from '../../../src/kernel/tasks/jobs.ts'
import { shown } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { openTexts } from '../search/texts.ts'

const log = {} as never

/** Timers that run when they are told to. */
function openTimers() {
  const timers: { run(): void; milliseconds: number }[] = []
  const wait: Later = (run, milliseconds) => {
    const timer = { run, milliseconds }
    timers.push(timer)
    return { clear: () => void timers.splice(timers.indexOf(timer), 1) }
  }
  return {
    wait,
    timers,
    next() {
      const timer = timers.shift()!
      timer.run()
      return timer.milliseconds
    },
  }
}

t.test(
  'texts are indexed once hundreds wait, a merge after the other, and later if that fails',
  async (t) => {
    const { wait, timers, next } = openTimers()
    const merges: ((merged: Error | undefined) => void)[] = []
    const warned: unknown[] = []
    let waiting = 0
    const stop = mergeWords(
      {
        words: {
          most: 4_096,
          waiting() {
            if (waiting < 0) throw new Error('the file is damaged')
            return waiting
          },
          merge: () =>
            new Promise((resolve, reject) => merges.push((error) => (error ? reject(error) : resolve(1)))),
        },
      },
      { warnings: { warn: (...all: unknown[]) => void warned.push(all[3]) }, log },
      wait,
    )
    const end = async (error?: Error) => {
      merges.pop()!(error)
      await until(() => timers.length > 0)
    }
    next()
    t.equal(timers[0]!.milliseconds, 1_000)
    waiting = 511
    for (let look = 0; look < 3; look++) next()
    t.same([merges.length, timers[0]!.milliseconds], [0, 1_000], 'few wait')
    waiting = 700
    next()
    t.same([merges.length, timers[0]!.milliseconds], [0, 1_000], 'many are just being written')
    next()
    t.same([merges.length, timers.length], [1, 0])
    await end()
    t.equal(timers[0]!.milliseconds, 20)
    waiting = 4_096
    next()
    t.equal(merges.length, 1, 'one merge takes no more')
    await end(new Error('disk full'))
    t.same(warned, ['texts could not be indexed, so searches read them'])
    waiting = -1
    t.equal(next(), 60_000)
    t.equal(warned.length, 2, 'nor does it end the process that it can not look')
    waiting = 4_096
    t.equal(next(), 60_000)
    let isStopped = false
    const stopped = stop().then(() => {
      isStopped = true
    })
    await new Promise(setImmediate)
    t.notOk(isStopped, 'a merge that is under way is waited for')
    merges.pop()!(undefined)
    await stopped
    t.equal(timers.length, 0)
  },
)

t.test('a service indexes what was written, and finds it before and after', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { editor, anonymous } = await build(t, { env: { DATABASE: file } })
  await editor.post('/events', { ...EVENT, title: 'Early' })
  t.equal(shown(await anonymous.get('/events?search=early')), 'Early')
  const texts = openTexts(file)
  t.teardown(() => texts.db.close())
  const MANY = 600
  await Promise.all(
    Array.from({ length: MANY }, (_, at) =>
      texts.write(1_000 + at, { folded: `number ${at}`, folded_title: '', password_hash: null }),
    ),
  )
  await until(() => texts.waiting() === 0)
  t.equal(shown(await anonymous.get('/events?search=earl')), 'Early')
  t.same(await texts.check(), [])
})
