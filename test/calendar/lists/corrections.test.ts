import t from 'tap'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Person, type Records } from '../../support/store.ts'

const ask = async (person: Person, q: string, more = '') => {
  const found = await person.list('event', `q=${encodeURIComponent(q)}${more}`)
  return [shown(found), [...(found.corrections ?? [])].map((pair) => pair.join('=')).join(', ')].join(' | ')
}
const add = ({ editor }: Records, title: string, more: object = {}) =>
  must(editor.create('event', { ...EVENT, title, ...more }))

t.test('a word that occurs nowhere is taken as its nearest, and the answer says so', async (t) => {
  const calendar = await openRecords(t)
  const { id, venue } = await add(calendar, 'Concert', { venue: { venue: 'Auditori', city: 'Palafrugell' } })
  await add(calendar, 'Concerts 20261')
  await add(calendar, 'Concerts again')
  await add(calendar, 'Café')
  await add(calendar, '音楽会東京')
  for (const [q, found] of [
    ['concert', 'Concert Concerts 20261 Concerts again | '],
    ['concert ', 'Concert Concerts 20261 Concerts again | '],
    ['"concert"', 'Concert | '],
    ['concret', 'Concert Concerts 20261 Concerts again | concret=concert'],
    ['concret auditori', 'Concert | concret=concert'],
    ['concertz again', 'Concerts again | concertz=concerts'],
    ['palafurgell', 'Concert | palafurgell=palafrugell'],
    ['palafurgel auditory', 'Concert | palafurgel=palafrugell, auditory=auditori'],
    ['palfrugel', 'Concert | palfrugel=palafrugell'],
    ['plfrgell', ' | '],
    ['cafz', ' | '],
    ['caff', ' | '],
    ['20262', ' | '],
    ['"concret"', ' | '],
    ['-concret café', 'Café | '],
    ['音楽界東京', ' | '],
    ['concret zzzzz', ' | concret=concert'],
  ] as const)
    t.equal(await ask(calendar.anonymous, q), found, q)
  t.equal(await ask(calendar.anonymous, 'concret', `&venue=${venue.id}`), 'Concert | concret=concert')
  t.equal(
    await ask(calendar.anonymous, 'concerts', `&venue=${venue.id}`),
    ' | ',
    'a word that occurs stands, whatever the filters',
  )
  t.equal(await ask(calendar.anonymous, 'concret', `&include=${id}`), 'Concert | concret=concert')
})

t.test(
  'of words with as few errors it is the one of most events, then that with the same first letter, then the first',
  async (t) => {
    const calendar = await openRecords(t)
    for (const title of ['Violin', 'Violit', 'Violis', 'Violir', 'Niolip']) await add(calendar, title)
    t.equal(await ask(calendar.anonymous, 'violip'), 'Violin | violip=violin')
    await add(calendar, 'Violir again')
    t.equal(await ask(calendar.anonymous, 'violip'), 'Violir Violir again | violip=violir')
    t.equal(await ask(calendar.anonymous, 'niolin'), 'Niolip | niolin=niolip')
  },
)

t.test('no correction tells of what the caller does not see', async (t) => {
  const calendar = await openRecords(t)
  const { anonymous, editor, author } = calendar
  const venue = await must(editor.create('venue', { venue: 'Zanzibar', status: 'draft' }))
  await add(calendar, 'Shown', { venue: venue.id })
  const hidden = await add(calendar, 'Xylophones', { hide_from_listings: true })
  const draft = await add(calendar, 'Marimbas', { status: 'draft' })
  const locked = await add(calendar, 'Locked', {
    ...{ password: 'x', description: 'Kalimbas', categories: ['Vibraphones'] },
    venue: { venue: 'Timpanist' },
  })
  await add(calendar, 'Bassoon', { i18n_language: 'ca' })
  for (const [q, found] of [
    ['xylophonez', ' | '],
    ['marimbaz', ' | '],
    ['kalimbaz', ' | '],
    ['zanzibor', ' | '],
    ['zanzibar', ' | '],
    ['vibraphonez', ' | '],
    ['timpanizt', ' | '],
    ['timpanist', ' | '],
    ['lockad', 'Locked | '],
  ] as const)
    t.equal(await ask(anonymous, q), q === 'lockad' ? 'Locked | lockad=locked' : found, q)
  t.equal(await ask(author, 'marimbaz'), ' | ', 'an author sees no drafts of others')
  t.equal(await ask(editor, 'zanzibor'), 'Shown | zanzibor=zanzibar')
  t.equal(await ask(editor, 'timpanizt'), 'Locked | timpanizt=timpanist')
  t.equal(await ask(anonymous, 'bassoom', '&i18n_language=en'), ' | ')
  t.equal(await ask(anonymous, 'bassoom', '&i18n_language=ca'), 'Bassoon | bassoom=bassoon')
  // what a word means does not depend on a draft that has it
  await add(calendar, 'Marimbal')
  t.equal(await ask(anonymous, 'marimbas'), 'Marimbal | marimbas=marimbal')
  t.equal(await ask(editor, 'marimbas'), 'Marimbas | ')
  await must(editor.change('event', draft.id, { status: 'publish' }))
  t.equal(await ask(anonymous, 'marimbas'), 'Marimbas | ')
  await must(editor.change('event', hidden.id, { hide_from_listings: false }))
  t.equal(await ask(anonymous, 'xylophonez'), 'Xylophones | xylophonez=xylophones')
  await must(editor.change('event', locked.id, { password: null }))
  t.equal(await ask(anonymous, 'timpanizt'), 'Locked | timpanizt=timpanist')
  await must(editor.change('venue', venue.id, { status: 'publish' }))
  t.equal(await ask(anonymous, 'zanzibor'), 'Shown | zanzibor=zanzibar')
})
