import t from 'tap'
import { missingText, namedBy, problemsText, reasonOf } from '../../../../src/features/imports/files/items.ts'
import { ApiError, invalid, missing } from '../../../../src/kernel/errors.ts'

t.test('a member is called as its file calls it, and what is in it is of it', async (t) => {
  const nameOf = namedBy({ start_date: 'DTSTART', 'recurrence.rrule': 'RRULE', venue: 'LOCATION' })
  for (const [member, name] of [
    ['start_date', 'DTSTART'],
    ['recurrence.rrule', 'RRULE'],
    ['recurrence.rrule.BYDAY', 'BYDAY of RRULE'],
    ['venue[0]', 'LOCATION[0]'],
    ['venue[0].website', 'LOCATION[0].website'],
    ['venues', 'venues'],
    ['slug', 'slug'],
  ] as const)
    t.equal(nameOf(member), name)
})

t.test('what is wrong is said once of a value, and shows it where it is not named', async (t) => {
  const body = { start_date: 'soon', end_date: 'soon', title: 'x'.repeat(50), cost: 5, slug: '"' }
  t.equal(
    problemsText(
      {
        start_date: 'must be a date.',
        end_date: 'must be a date.',
        title: 'is too long.',
        cost: 'must be text.',
      },
      { body },
    ),
    `start_date "soon": must be a date. title "${'x'.repeat(40)}…": is too long. cost: must be text.`,
  )
  t.equal(problemsText({ slug: 'is "no" slug.' }, { body }), 'slug: is "no" slug.')
  const text = 'has times, and the event is of whole days.'
  t.equal(
    problemsText({ 'recurrence.rrule.BYHOUR': text, 'recurrence.rrule.BYMINUTE': text }, { body }),
    `recurrence.rrule.BYHOUR: ${text} recurrence.rrule.BYMINUTE: ${text}`,
    'each is named where none has a value',
  )
  t.equal(problemsText({}, { body }), '')
})

t.test('an end that is missing with its start is not told', async (t) => {
  t.equal(
    missingText(['title', 'start_date', 'end_date'], { body: {} }),
    'title is missing. start_date is missing.',
  )
  const nameOf = (name: string) => name.toUpperCase()
  t.equal(missingText(['end_date'], { body: {}, nameOf }), 'END_DATE is missing.')
})

t.test('an error is told by what is wrong with members, else by its message', async (t) => {
  const item = { body: { title: 'x' }, nameOf: (name: string) => name.toUpperCase() }
  t.equal(reasonOf(invalid({ title: 'is too short.' }), item), 'TITLE "x": is too short.')
  t.equal(reasonOf(missing(['title', 'start_date']), item), 'Missing parameters: title, start_date.')
  t.equal(reasonOf(new ApiError('term_exists', 'It exists.')), 'It exists.')
  t.throws(() => reasonOf(new ApiError('rest_not_ready', 'Later.')), { message: 'Later.' })
})
