import t from 'tap'
import { altError, altField, altLanguage, toAltBody, toAltForm } from '../../desk/rules/alt-texts.ts'

t.test('texts become fields, and a body of those that were changed', (t) => {
  const form = toAltForm(['en', 'ca', 'no'])({ alt_texts: { ca: 'Un grup', fr: 'Un groupe' } })
  t.same(form, { alt_en: '', alt_ca: 'Un grup', alt_no: '' })
  t.same(toAltBody({ ...form, alt_en: 'A band', alt_ca: '' }, ['alt_en', 'alt_ca']), {
    alt_texts: { en: 'A band', ca: '' },
  })
  t.same(['alt_no', 'title', altField('es')].map(altLanguage), ['no', undefined, 'es'])
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
