import t from 'tap'
import { SETTINGS } from '../../src/config.ts'
import { distance, strayNames } from '../../src/kernel/settings.ts'

const known = Object.keys(SETTINGS)
const warned = (env: Record<string, string | undefined>) => strayNames(env, known)

t.test('a variable whose name is near that of a setting is told, with the right name', async (t) => {
  for (const [name, right] of [
    ['TIMZONE', 'TIMEZONE'],
    ['TIMEZOEN', 'TIMEZONE'],
    ['TIME_ZONE', 'TIMEZONE'],
    ['DATABSE', 'DATABASE'],
    ['database', 'DATABASE'],
    ['BASEURL', 'BASE_URL'],
    ['LOG_LVL', 'LOG_LEVEL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['HOSTS', 'HOST'],
    ['ALMANAC_CURRENCY', 'CURRENCY'],
    ['ALMANAC_MEDIADIR', 'MEDIA_DIR'],
    ['almanac_port', 'PORT'],
  ])
    t.same(warned({ [name!]: 'x' }), [`${name} is not a setting; ${right} is`])
  t.same(warned({ LANGUAGE: 'en,ca' }), ['LANGUAGE is not a setting; LANGUAGES is'])
})

t.test('a variable that begins with ALMANAC_ and is no setting is told', async (t) => {
  t.same(warned({ ALMANAC_COLOUR: 'red' }), [
    'ALMANAC_COLOUR is not a setting; no setting begins with ALMANAC_',
  ])
})

t.test('settings, and what other programs set, are no mistake', async (t) => {
  t.same(warned(Object.fromEntries(known.map((name) => [name, 'x']))), [])
  for (const [name, value] of [
    ['HOME', '/root'],
    ['HOSTNAME', 'a'],
    ['PATH', '/bin'],
    ['TAP_TIMEOUT', '30'],
    ['_', '/bin/sh'],
    ['LANGUAGE', 'ca_ES:en'],
    ['LANGUAGE', undefined],
    ['ALMANAC_PORT', 'tcp://10.0.0.1:3000'],
    ['ALMANAC_PORT_3000_TCP', 'tcp://10.0.0.1:3000'],
    ['ALMANAC_SERVICE_HOST', '10.0.0.1'],
    ['ALMANAC_WORKERS', '/tmp/a'],
    ['ALMANAC_WRITES', 'yes'],
  ] as const)
    t.same(warned({ [name]: value }), [], name)
})

t.test('the distance of two names counts letters, and a swap as one', async (t) => {
  for (const [from, to, steps] of [
    ['', '', 0],
    ['', 'ab', 2],
    ['ab', 'ab', 0],
    ['ab', 'ba', 1],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
  ] as const) {
    t.equal(distance(from, to), steps)
    t.equal(distance(to, from), steps)
  }
})
