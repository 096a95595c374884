import { pathIn } from '../../../calendar/formats/paths.ts'
import { html, type Markup, type Part } from '../../../kernel/text/markup.ts'
import { absolute, feedsOf, headline, layout } from './layout.ts'
import { pathOf, type Subscribed, type View } from './view.ts'

/** A way to subscribe: its name, what it does, and a link to it. */
const way = (name: string, about: string, link: Part): Markup =>
  html`<li><h3>${name}</h3><p>${about}</p><p>${link}</p></li>`

/** An address that breaks after its parts. */
const breaking = (address: string): Markup[] =>
  address.split(/(?<=[/?&])(?=[^/])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)

/** The page that says how to get the events of a list into a calendar or a reader. `names` say in words what is filtered. */
export function subscribePage(view: View, filters: Subscribed, names: string[]): Markup {
  const { words, front } = view
  const [calendar, ...feeds] = feedsOf(view, filters)
  const address = absolute(view, calendar!.href)
  const webcal = address.replace(/^https?:/, 'webcal:')
  const google = `https://calendar.google.com/calendar/render?${new URLSearchParams({ cid: webcal })}`
  const name = [front.name, ...names].join(' · ')
  const outlook = `https://outlook.live.com/calendar/0/addfromweb?${new URLSearchParams({ url: address, name })}`
  const button = (href: string, text: string) =>
    html`<a class="button" href="${href}" rel="noopener">${text}</a>`
  const about: Record<string, string> = {
    RSS: words.rss_long,
    Atom: words.atom_long,
    'JSON Feed': words.json_long,
  }
  const page = '/events/subscribe/'
  return layout(
    view,
    {
      title: [words.subscribe, ...names].join(' · '),
      description: words.subscribe_lead,
      canonical: pathOf(view, page),
      translations: Object.fromEntries(front.languages.map((to) => [to, pathIn(front, to, page)])),
      feeds: filters,
      hidden: names.length > 0,
    },
    html`<div class="frame">
<div class="head">${names.length > 0 && html`<p class="kind">${names.join(' · ')}</p>`}${headline(words.subscribe)}<div class="lead"><p>${words.subscribe_lead}</p></div></div>
<section class="ways" aria-labelledby="calendars"><h2 id="calendars">${words.in_calendars}</h2><ul>
${way(words.on_device, words.on_device_long, button(webcal, words.open_program))}
${way(words.add_google, words.google_long, button(google, words.open_google))}
${way(words.add_outlook, words.outlook_long, button(outlook, words.open_outlook))}
${way(words.calendar_address, words.calendar_address_long, html`<code>${breaking(address)}</code>`)}
</ul></section>
<section class="ways" aria-labelledby="readers"><h2 id="readers">${words.in_readers}</h2><ul>
${feeds.map(({ name, href }) => way(name, about[name]!, html`<a href="${href}">${breaking(absolute(view, href))}</a>`))}
</ul></section>
<p class="other"><a href="${pathOf(view, '/events/')}">${words.back}</a></p>
</div>`,
  )
}
