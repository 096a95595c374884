import type { Answer, Api } from './app.ts'
import { EMAIL, NAME, NOTE } from './submissions.ts'

/** The form as a visitor fills it in. */
export const TYPED = {
  ...{
    title: 'Lantern <walk>',
    description: 'Bring a lantern.\n\nAll & all.',
    venue: 'Old mill',
    city: 'Vic',
  },
  ...{ start_day: '2026-12-05', start_time: '18:00', end_day: '', end_time: '20:00' },
  ...{
    organizer: 'Friends',
    cost: '5',
    website: 'https://mill.example/',
    name: NAME,
    email: EMAIL,
    note: NOTE,
  },
}
/** Where the form is, for clients of tests. */
export const PAGE = '//events/submit/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The value of a hidden field. */
export const hiddenIn = (text: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!
/** Opens the form, takes one's time, and sends it as a browser without script. */
export async function send(api: Api, typed: Record<string, string>, page = PAGE): Promise<Answer> {
  const challenge = hiddenIn((await api.anonymous.get(page)).text, 'challenge')
  api.clock.now += 5_000
  return post(api, { challenge, nonce: '', reason: '', ...typed }, page)
}
/** Sends the form as it is given. */
export const post = ({ anonymous }: Api, typed: Record<string, string>, page = PAGE) =>
  anonymous.post(page, new URLSearchParams(typed).toString(), { headers: FORM })
/** The same as a form with parts, and a picture. */
export function withPicture(api: Api, typed: Record<string, string>, picture: Buffer, page = PAGE) {
  const part = (name: string, more = '') =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`
  const texts = Object.entries(typed).map(([name, value]) => `${part(name)}\r\n${value}\r\n`)
  const head = `${texts.join('')}${part('picture', '; filename="a.jpg"')}Content-Type: image/jpeg\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--xx--\r\n')])
  return api.anonymous.post(page, payload, {
    headers: { 'content-type': 'multipart/form-data; boundary=xx' },
  })
}
/** The path of the page to which a form leads that was taken. */
export const pathOf = ({ headers }: Answer) => `/${headers.location!.replace('?new', '')}`
