import t from 'tap'
import { accountMail } from '../../../src/features/people/mail.ts'
import { composeMail } from '../../../src/kernel/outbound/mail.ts'
import ca from '../../../words/ca/accounts-mail.json' with { type: 'json' }
import en from '../../../words/en/accounts-mail.json' with { type: 'json' }
import es from '../../../words/es/accounts-mail.json' with { type: 'json' }

const MARTA = { login: 'marta', name: 'Marta Puig', email: 'marta@town.example' }
const SITE = { site: 'Agenda', link: 'https://town.example/desk#/reset/x' }

t.test('a mail is a plain text in the language of the site, or in English', async (t) => {
  const mail = accountMail('reset', MARTA, { ...SITE, language: 'ca-ES' })
  t.equal(mail.recipient, 'marta@town.example')
  t.equal(mail.subject, 'Una contrasenya nova per a Agenda')
  t.match(
    mail.text,
    /^Hola Marta Puig,\n\n.*marta per a Agenda.*\n\nhttps:\/\/town\.example\/desk#\/reset\/x\n\n/,
  )
  t.match(mail.text, /[^\n]\n$/)
  t.match(accountMail('moved', { ...MARTA, name: '' }, { site: 'Agenda', language: 'de' }), {
    subject: 'Your address at Agenda was changed',
    text: /^Hello marta,\n/,
  })
})

t.test('a value begins no line of its own', async (t) => {
  const name = 'Marta\r\nBcc: all@town.example\u2028Hello'
  const mail = accountMail('invitation', { ...MARTA, name }, { ...SITE, site: 'A\nB', language: 'en' })
  t.equal(mail.subject, 'Your access to A B')
  t.match(mail.text, /^Hello Marta {2}Bcc: all@town\.example Hello,\n/)
})

t.test(
  'each language says the same with the same places, and a place without a value is empty',
  async (t) => {
    const places = (words: object) =>
      Object.entries(words).map(([name, { subject, text }]) => [
        name,
        [...new Set(`${subject}${text}`.match(/\{\w+\}/g))].sort(),
      ])
    for (const words of [ca, es]) t.same(places(words), places(en))
    const letters = { en: { hello: { subject: 'Hello', text: ['Hello {who}!'] } } }
    t.equal(
      composeMail(letters, { letter: 'hello', language: 'en', recipient: 'a@b.example' }, {}).text,
      'Hello !\n',
    )
  },
)
