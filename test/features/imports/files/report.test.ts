import t from 'tap'
import { type Entry, openReport } from '../../../../src/features/imports/files/items.ts'
import { reportWords } from '../../../../src/features/imports/report-text.ts'

const reportOf = (entries: (Pick<Entry, 'outcome'> & Partial<Entry>)[]) => {
  const { report, add } = openReport()
  for (const [at, entry] of entries.entries())
    add({ line: at + 1, kind: 'event', name: `E${at + 1}`, remarks: [], ...entry })
  return report
}

t.test('a report tells apart what was refused, left alone, and taken otherwise', async (t) => {
  const report = reportOf([
    { outcome: 'added' },
    { outcome: 'refused', reason: 'has no DTSTART' },
    { outcome: 'present', remarks: ['is an older version'] },
    { outcome: 'updated', name: '', remarks: ['has no SUMMARY', 'has no place'] },
    { kind: 'line', outcome: 'present', remarks: ['columns that are not known are left out: a'] },
  ])
  t.same(reportWords({ ...report, left_out: { VALARM: 2, 'X-OTHER': 1 } }, false).split('\n'), [
    'This came:',
    '       added  updated  same as here  left alone  refused',
    'event  1      1        0             1           1',
    'Of the whole file: columns that are not known are left out: a',
    'Could not be taken:',
    '  line 2, event E2: has no DTSTART',
    'Left alone:',
    '  line 3, event E3: is an older version',
    'Taken, with remarks:',
    '  line 4, event (no title): has no SUMMARY; has no place',
    'Left out, as it is not kept here: reminders (VALARM) 2, X-OTHER 1',
    'Correct in the file what could not be taken, and import it again: what was taken is not doubled.',
  ])
})

t.test('a plan asks for nothing, and what a report does not name is counted', async (t) => {
  const report = reportOf(Array.from({ length: 1_003 }, () => ({ outcome: 'refused', reason: 'is bad' })))
  t.same(reportWords(report, true).split('\n').slice(-2), [
    '  and 950 more',
    'And 3 more that are not named here.',
  ])
  t.same(reportWords(reportOf([]), false).split('\n'), [
    'Nothing came: no event of the file has a date, and there is no other record.',
  ])
})
