import t from 'tap'
import { importEvents } from '../../../../src/features/imports/files/event-files.ts'
import { must } from '../../../support/answers.ts'
import { openRecords, type Records } from '../../../support/store.ts'

const pictures = { bring: async () => new Map(), discard: async () => {} }

/** Imports a file of iCalendar, and gives what became of its parts, and what was told of them. */
async function take({ store, callers, clock }: Records, events: string[], dry = false) {
  clock.now += 3_600_000
  const writer = {
    caller: callers.editor,
    by: { origin: 'command', address: 'test' },
    language: 'en',
  } as const
  const text = ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\r\n')
  const { counts, told } = await importEvents(store, text, {
    ...{ form: 'ics', media: false, pictures, source: 'ical', file: 'a.ics' },
    ...{ writer, dry },
  })
  const became = Object.entries(counts).flatMap(([kind, own]) =>
    Object.entries(own).flatMap(([outcome, many]) => (many > 0 ? `${many} ${kind} ${outcome}` : [])),
  )
  return { became, remarks: told.flatMap(({ remarks }) => remarks) }
}

type Told = { title?: string; start?: string; sequence?: number | string; stamp?: string; more?: string[] }
const vevent = ({ title = 'A', start = '20261205T200000', sequence, stamp, more = [] }: Told) =>
  [
    ...['BEGIN:VEVENT', 'UID:a', `SUMMARY:${title}`, `DTSTART:${start}`],
    ...(sequence === undefined ? [] : [`SEQUENCE:${sequence}`]),
    ...(stamp === undefined ? [] : [`DTSTAMP:2026110${stamp}T000000Z`]),
    ...more,
    'END:VEVENT',
  ].join('\r\n')

const titlesIn = async ({ editor }: Records) =>
  (await must(editor.list('event', 'when=all&status=publish'))).events.map(
    ({ title }: { title: string }) => title,
  )

t.test('an older version does not overwrite a later one, whichever file it comes in', async (t) => {
  for (const [taken, given, remark] of [
    [{ sequence: 2 }, { sequence: 1 }, 'SEQUENCE is 1, and was 2'],
    [{ sequence: 10, stamp: '1' }, { sequence: 9, stamp: '2' }, 'SEQUENCE is 9, and was 10'],
    [{ sequence: 1 }, {}, 'SEQUENCE is 0, and was 1'],
    [{ stamp: '2' }, { stamp: '1' }, 'DTSTAMP is 20261101T000000Z, and was 20261102T000000Z'],
    [{ sequence: 2 }, { sequence: 1, more: ['STATUS:CANCELLED'] }, 'SEQUENCE is 1, and was 2'],
    [
      { sequence: 1, stamp: '2' },
      { sequence: 2, stamp: '1' },
    ],
    [
      { sequence: 1, stamp: '2' },
      { sequence: 1, stamp: '2' },
    ],
    [{ stamp: '2' }, {}],
    [{}, { stamp: '1' }],
    [{ sequence: 'x', stamp: 'y' }, { sequence: '-1' }],
  ] as [Told, Told, string?][]) {
    const calendar = await openRecords(t)
    const name = `${JSON.stringify(taken)}, ${JSON.stringify(given)}`
    await take(calendar, [vevent({ ...taken, title: 'First' })])
    const second = vevent({ ...given, title: 'Second' })
    const plan = await take(calendar, [second], true)
    const done = await take(calendar, [second])
    t.same(plan, done, name)
    t.same(
      done,
      remark === undefined
        ? { became: ['1 event updated'], remarks: [] }
        : {
            became: ['1 event present'],
            remarks: [`is an older version than the one that was taken before (${remark})`],
          },
      name,
    )
    t.same(await titlesIn(calendar), [remark === undefined ? 'Second' : 'First'], name)
  }
})

t.test('a version that says the same is the latest as well', async (t) => {
  const calendar = await openRecords(t)
  for (const stamp of ['1', '3']) await take(calendar, [vevent({ stamp, title: 'First' })])
  t.match(await take(calendar, [vevent({ stamp: '2', title: 'Second' })]), { became: ['1 event present'] })
  const before = calendar.fingerprint()
  t.match(await take(calendar, [vevent({ stamp: '3', title: 'First' })]), { became: ['1 event unchanged'] })
  t.equal(calendar.fingerprint(), before)
})

t.test('what was put in the trash comes back as any file has it', async (t) => {
  const calendar = await openRecords(t)
  await take(calendar, [vevent({ sequence: 2, title: 'First' })])
  const [{ id }] = (await must(calendar.editor.list('event', 'when=all'))).events
  await must(calendar.editor.remove('event', id))
  t.match(await take(calendar, [vevent({ sequence: 1, title: 'Second' })]), { became: ['1 event updated'] })
  t.match(await take(calendar, [vevent({ sequence: 0, title: 'Third' })]), { became: ['1 event present'] })
})

t.test('a series and each of its dates have their own versions', async (t) => {
  const calendar = await openRecords(t)
  const file = (series: Told, date: Told) => [
    vevent({ ...series, more: ['RRULE:FREQ=DAILY;COUNT=3'] }),
    vevent({ start: '20261206T210000', ...date, more: ['RECURRENCE-ID:20261206T200000'] }),
  ]
  await take(calendar, file({ sequence: 2, title: 'All' }, { sequence: 4, title: 'Own' }))
  t.same(await take(calendar, file({ sequence: 3, title: 'Every' }, { sequence: 3, title: 'Old' })), {
    became: ['1 series updated', '1 date present'],
    remarks: ['is an older version than the one that was taken before (SEQUENCE is 3, and was 4)'],
  })
  t.same(await titlesIn(calendar), ['Every', 'Own', 'Every'])
  t.match(await take(calendar, file({ sequence: 2, title: 'All' }, { sequence: 5, title: 'Later' })), {
    became: ['1 series present'],
  })
  t.match(await take(calendar, file({ sequence: 3, title: 'Every' }, { sequence: 5, title: 'Later' })), {
    became: ['1 series unchanged', '1 date updated'],
  })
  t.same(await titlesIn(calendar), ['Every', 'Later', 'Every'])
})
