import { HtmlValidate } from 'html-validate'
import t from 'tap'
import { serveDemo } from '../../pages.ts'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    'long-title': 'off', // editors write titles
    'tel-non-breaking': 'off', // and telephone numbers
    'no-implicit-button-type': 'off', // every button sends its form
    'no-trailing-whitespace': 'off', // an absent part of a template leaves an empty line
    'doctype-style': 'off', // both cases are valid
    'void-style': 'off', // descriptions have `<br />`
  },
})

t.test('the HTML of every page of the demo is valid', async (t) => {
  const { api } = await serveDemo(t, { SUBMISSIONS: 'on' })
  const textOf = async (path: string) =>
    (await api.anonymous.get(`/${path}`, undefined, { headers: { accept: 'text/html' } })).text
  const pathsOf = (xml: string) =>
    [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => new URL(url!).pathname)
  const parts = await Promise.all(pathsOf(await textOf('/sitemap.xml')).map(textOf))
  const paths = parts.flatMap(pathsOf)
  t.ok(paths.length > 100)
  for (const path of [
    ...paths,
    '/events/submit/',
    '/events/?search=night',
    '/events/?search=zzzz',
    '/events/?when=past',
    '/nowhere',
  ]) {
    const { results } = await validator.validateString(await textOf(path))
    const told = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
    )
    t.same(told, [], path)
  }
})
