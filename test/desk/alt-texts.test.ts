import t from 'tap'
import {
  altError,
  altField,
  altLanguage,
  pointOf,
  textOfPoint,
  toAltBody,
  toAltForm,
} from '../../desk/rules/picture.ts'

t.test('texts become fields, and a body of those that were changed', (t) => {
  const form = toAltForm(['en', 'ca', 'no'])({
    ...{ alt_texts: { ca: 'Un grup', fr: 'Un groupe' }, focal_point: { x: 0.07, y: 0.333 } },
  })
  t.same(form, { alt_en: '', alt_ca: 'Un grup', alt_no: '', focal_point: '7 %, 33 %' })
  t.same(toAltBody({ ...form, alt_en: 'A band', alt_ca: '' }, ['alt_en', 'alt_ca']), {
    alt_texts: { en: 'A band', ca: '' },
  })
  t.same(toAltBody({ ...form, focal_point: '100 %, 0 %' }, ['focal_point']), { focal_point: { x: 1, y: 0 } })
  t.same(['alt_no', 'title', altField('es')].map(altLanguage), ['no', undefined, 'es'])
  t.end()
})

t.test('a point is words of hundredths, on the edge if it is beyond', (t) => {
  t.equal(textOfPoint({ x: -0.2, y: 1.05 }), '0 %, 100 %')
  t.same(pointOf('0 %, 25 %'), { x: 0, y: 0.25 })
  t.same(pointOf(undefined), { x: 0.5, y: 0.5 })
  t.end()
})

t.test('what the API says is told beside the field of its language', (t) => {
  const said = 'en must be a string, in quotes. ca must have at most 1000 characters.'
  t.equal(altError(said, 'ca'), 'must have at most 1000 characters.')
  t.equal(altError(said, 'en'), 'must be a string, in quotes.')
  t.equal(altError(said, 'es'), undefined)
  t.equal(altError(undefined, 'en'), undefined)
  t.end()
})
