import t from 'tap'
import {
  emptyLinked,
  type LinkedForm,
  type LinkedRecord,
  linkedFieldOf,
  nameOf,
  toLinkedBody,
  toLinkedForm,
} from '../../desk/rules/linked.ts'
import { readMessages } from '../../desk/rules/stream.ts'
import { emptyTerm, termFieldOf, toTermBody, toTermForm } from '../../desk/rules/term.ts'
import { agoOf } from '../../desk/rules/wall.ts'
import { NOW } from '../support/given.ts'

const RECORD: LinkedRecord = {
  ...{ id: 3, author: '1', status: 'publish', modified_utc: '2026-11-21 09:00:00', url: '', language: 'en' },
  translations: {},
  ...{ venue: 'Teatre', city: 'Vic', geo_lat: 41.93, geo_lng: 2.25, show_map: false, show_map_link: true },
}
const namesOf = (form: LinkedForm) => Object.keys(form) as (keyof LinkedForm)[]

t.test('a venue becomes a form and a body again', async (t) => {
  const form = toLinkedForm('venue')(RECORD)
  t.match(form, {
    ...{ name: 'Teatre', city: 'Vic', address: '', email: '', coordinates: '41.93, 2.25', image: null },
    ...{ show_map: false, show_map_link: true },
  })
  t.same(toLinkedBody('venue')(form, namesOf(form)), {
    ...{ venue: 'Teatre', description: '', status: 'publish', i18n_language: 'en', image: '' },
    ...{ geo_lat: 41.93, geo_lng: 2.25, show_map: false, show_map_link: true, phone: '', website: '' },
    ...{ address: '', zip: '', city: 'Vic', province: '', state: '', country: '' },
  })
  t.same(toLinkedBody('venue')({ ...form, coordinates: '' }, ['coordinates']), {
    geo_lat: null,
    geo_lng: null,
  })
  t.equal(nameOf('organizer', RECORD), '')
})

t.test('an organizer has no members of a venue', async (t) => {
  const form = toLinkedForm('organizer')({
    ...RECORD,
    organizer: 'Cor',
    image: { id: 7, url: 'http://x/7.jpg', sizes: { medium: { url: 'http://x/7-m.jpg' } } },
  })
  t.same(form.image, { id: 7, url: 'http://x/7-m.jpg' })
  t.same(toLinkedForm('organizer')({ ...RECORD, image: { id: 7, url: 'http://x/7.jpg' } }).image, {
    id: 7,
    url: 'http://x/7.jpg',
  })
  t.same(toLinkedBody('organizer')(form, namesOf(form)), {
    ...{ organizer: 'Cor', description: '', status: 'publish', i18n_language: 'en', image: 7 },
    ...{ phone: '', website: '', email: '' },
  })
  t.match(emptyLinked('organizer', 'ca'), { name: '', status: 'publish', language: 'ca', show_map: true })
})

t.test('errors of members belong to their fields', async (t) => {
  const fieldOf = linkedFieldOf('venue')
  t.same(['venue', 'geo_lat', 'geo_lng', 'i18n_language', 'website'].map(fieldOf), [
    ...['name', 'coordinates', 'coordinates', 'language', 'website'],
  ])
})

t.test('a category becomes a form and a body again, and a tag has no parent', async (t) => {
  const record = {
    ...{ id: 1, name: 'Jazz', slug: 'jazz', description: '', count: 2, language: 'en', url: '' },
    translations: {},
  }
  const form = toTermForm({ ...record, parent: 5 })
  t.same(form, { name: 'Jazz', slug: 'jazz', description: '', language: 'en', parent: '5' })
  const names = ['name', 'slug', 'parent', 'language'] as const
  t.same(toTermBody('category')(form, names), { name: 'Jazz', slug: 'jazz', parent: 5, i18n_language: 'en' })
  t.equal(toTermForm(record).parent, '0')
  t.same(toTermBody('tag')({ ...emptyTerm('0', 'ca'), name: 'late' }, names), {
    name: 'late',
    i18n_language: 'ca',
  })
})

t.test('how long ago something was', async (t) => {
  for (const [since, expected] of [
    ['2026-11-21 09:00:30', [0, 'minute']],
    ['2026-11-21 08:59:31', [0, 'minute']],
    ['2026-11-21 08:57:00', [3, 'minute']],
    ['2026-11-21 07:30:00', [1, 'hour']],
    ['2026-11-14 08:00:00', [7, 'day']],
  ] as const)
    t.same(agoOf(since, NOW), expected, since)
})

t.test('messages of a stream are read as they arrive', async (t) => {
  const { messages, left } = readMessages(
    ': hello\n\nid: 7\r\nevent: changes\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: x\n\nevent: chan',
  )
  t.same(messages, [
    { event: 'changes', data: '{"a":\n1}', id: '7' },
    { event: 'message', data: 'x', id: undefined },
  ])
  t.equal(left, 'event: chan')
})

t.test('errors of terms stand beside the fields that they are about', async (t) => {
  t.same(['i18n_language', 'name'].map(termFieldOf), ['language', 'name'])
})
