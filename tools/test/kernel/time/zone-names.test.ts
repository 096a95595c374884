import { readFileSync } from 'node:fs'
import moment from 'moment-timezone'
import t from 'tap'
import { abbreviation, readZone, toEpoch, toWall } from '../../../../src/kernel/time/dates.ts'
import { mustFindZone } from '../../../../src/kernel/time/zones.ts'
import { sourceOf } from '../../../zones.ts'

t.test('a name that the runtime does not know is refused rather than failing later', async (t) => {
  const { findZone } = await t.mockImport<typeof import('../../../../src/kernel/time/zones.ts')>(
    '../../../../src/kernel/time/zones.ts',
    {
      '../../../../src/kernel/time/zone-rules.ts': {
        ZONE_RULES: 'Mars/Base Europe/Paris|3600 CET 7200 CEST',
      },
    },
  )
  t.equal(findZone('Europe/London'), undefined, 'there are no other names')
  t.equal(findZone('Mars/Base'), undefined)
  t.match(findZone('europe/paris'), { stored: 'Europe/Paris' })
})

t.test('every name of the tz database is taken in any case, unless the runtime lacks it', async (t) => {
  const failed = moment.tz.names().filter((name) => {
    if (readZone(name) === undefined)
      return t.throws(() => new Intl.DateTimeFormat('en', { timeZone: name })) === false
    if (readZone(name.toLowerCase()) !== name || readZone(name.toUpperCase()) !== name) return true
    const epoch = toEpoch('2027-05-14 18:00:00', name)
    return toWall(epoch, name) !== '2027-05-14 18:00:00' || abbreviation(epoch, name) === ''
  })
  t.same(failed, [])
})

t.test('abbreviations are those of the tz database, in every zone, around every change', async (t) => {
  let compared = 0
  for (const name of moment.tz.names().filter((name) => readZone(name) === name)) {
    const { untils, offsets, abbrs } = moment.tz.zone(name)!
    const zone = mustFindZone(name)
    const differing = abbrs.filter((abbreviation, at) => {
      const offset = Math.round(-offsets[at]! * 60) * 1_000
      const first = at === 0 ? Date.parse('1800-01-01') : untils[at - 1]!
      const last = Math.min(untils[at]!, Date.parse('9999-12-31')) - 1
      compared += 2
      return [first, last].some((epoch) => zone.abbreviate(epoch, offset) !== abbreviation)
    })
    t.same(differing, [], name)
  }
  t.ok(compared > 400_000)
})

t.test('the committed rules are made of the installed tz database: `npm run zones`', async (t) => {
  t.equal(
    readFileSync(new URL('../../../../src/kernel/time/zone-rules.ts', import.meta.url), 'utf8'),
    sourceOf(),
  )
})
