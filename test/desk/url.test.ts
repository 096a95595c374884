import { decodeHTML } from 'entities'
import t from 'tap'
import { readPlace } from '../../desk/rules/places.ts'
import { isLink, isPicture } from '../../desk/rules/url.ts'
import { URLS } from '../support/hostile.ts'

t.test('links lead to pages, mailboxes and telephones, and pictures come from pages', async (t) => {
  for (const address of ['https://e.test/a', 'HTTP://e.test', '/event/a/', '//e.test/a', 'a.html', '#a', ''])
    t.same([isLink(address), isPicture(address)], [true, true], address)
  for (const address of ['mailto:a@e.test', 'tel:+34 93', ' tel:1'])
    t.same([isLink(address), isPicture(address)], [true, false], address)
  for (const address of [
    'javascript:alert(1)',
    ' JaVa\tScript:x',
    'data:text/html,x',
    'blob:x',
    'file:///x',
    'https://[',
  ])
    t.same([isLink(address), isPicture(address)], [false, false], address)
})

t.test('no address of the corpus that runs is a link', async (t) => {
  const runs = URLS.map((url) => decodeHTML(url)).filter((url) => /^\W*(java|vb|live)script\W*:/i.test(url))
  t.ok(runs.length > 10)
  // what a browser takes for a path is none that runs
  for (const url of runs.filter((url) => isLink(url))) t.match(url, /[^ -~]/, url)
})

t.test('a part of an address that was never encoded stands for itself', async (t) => {
  t.same(readPlace('#/events/%zz'), { path: ['events', '%zz'], query: {} })
})
