import { text } from 'node:stream/consumers'
import t from 'tap'
import { Reporter } from '../support/reporter.js'

const printed = async (lines: string[]) => {
  const reporter = new Reporter()
  // in pieces that end anywhere
  for (const piece of lines.join('\n').match(/[\s\S]{1,7}/g)!) reporter.write(piece)
  reporter.end()
  return (await text(reporter)).split('\n').filter((line) => line)
}

const GROUP = [
  'TAP version 14',
  '1..1',
  '# Subtest: test/groups/media.ts',
  '    # Subtest: test/media/one.test.ts',
  '        # Subtest: a picture is kept',
  '            ok 1 - status',
  '            1..1',
  '        ok 1 - a picture is kept # time=12.5ms',
  '        ',
  '        1..1',
  '    ok 1 - test/media/one.test.ts # time=1260.1ms',
  '    ',
  '    # Subtest: test/media/two.test.ts',
  '        # Subtest: a picture is removed',
  '            not ok 1 - its file',
  '              ---',
  '              diff: |',
  '                -1',
  '              ...',
  '            ',
  '            1..1',
  '        not ok 1 - a picture is removed # time=2ms',
  '          ---',
  '          at: somewhere',
  '          ...',
  '        ',
  'said by the program',
  '    not ok 2 - test/media/two.test.ts # time=30ms',
  '    1..2',
  '    # time=1300ms',
  'not ok 1 - test/groups/media.ts # time=1300.5ms',
]

t.test('a run tells files as they end, and each failure twice: when it comes and last', async (t) => {
  const failure = [
    'FAILED  test/groups/media.ts > test/media/two.test.ts > a picture is removed > its file',
    '              diff: |',
    '                -1',
  ]
  t.same(await printed([...GROUP, '', '# { total: 2, pass: 1, fail: 1 }', '# time=1400ms']), [
    'ok         1.3 s  test/media/one.test.ts',
    ...failure,
    'said by the program',
    'FAILED     0.0 s  test/media/two.test.ts',
    'FAILED     1.3 s  test/groups/media.ts',
    ...failure,
    '# { total: 2, pass: 1, fail: 1 }',
  ])
})

t.test(
  'a test that failed without an assertion is told as a failure, one that was skipped by that',
  async (t) => {
    const lines = [
      '# Subtest: test/media/one.test.ts',
      '    # Subtest: it waits',
      '        ok 1 - begun',
      '        1..1',
      '    not ok 1 - it waits # time=30000ms',
      '      ---',
      '      failure: timeout',
      '      ...',
      '    ok 2 - in a browser # SKIP there is none',
      'not ok 1 - test/media/one.test.ts # time=31000ms',
    ]
    const failure = ['FAILED  test/media/one.test.ts > it waits', '      failure: timeout']
    t.same(await printed(lines), [
      'FAILED    30.0 s  it waits',
      ...failure,
      'SKIP       0.0 s  in a browser',
      'FAILED    31.0 s  test/media/one.test.ts',
      ...failure,
    ])
  },
)

t.test('of many failures the first are told again with their details, the others by name', async (t) => {
  const lines = Array.from({ length: 25 }, (_, i) => [
    `not ok ${i + 1} - number ${i}`,
    '  ---',
    `  found: ${i}`,
    '  ...',
  ]).flat()
  const told = await printed(lines)
  t.equal(told.filter((line) => line.includes('FAILED')).length, 50)
  t.equal(told.filter((line) => line.includes('found:')).length, 45)
  t.equal(told.at(-1), 'FAILED  number 24')
})
