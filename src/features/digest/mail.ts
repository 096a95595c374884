import ca from '../../../words/ca/digest-mail.json' with { type: 'json' }
import de from '../../../words/de/digest-mail.json' with { type: 'json' }
import en from '../../../words/en/digest-mail.json' with { type: 'json' }
import es from '../../../words/es/digest-mail.json' with { type: 'json' }
import fr from '../../../words/fr/digest-mail.json' with { type: 'json' }
import it from '../../../words/it/digest-mail.json' with { type: 'json' }
import pt from '../../../words/pt/digest-mail.json' with { type: 'json' }
import { legible, readColour } from '../../calendar/branding.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import type { Mail } from '../../kernel/outbound/mail.ts'
import { html, type Markup, type Part, textOf, trusted } from '../../kernel/text/markup.ts'
import { withoutControls } from '../../kernel/text/text.ts'
import { fill, inLanguage, type Translated } from '../../kernel/text/words.ts'
import { asTitle, dateInWords, inWords, isLong, shortDay, timeInWords, zoneOf } from '../pages/dates.ts'
import { placeInWords, priceInWords } from '../pages/event-items.ts'
import { absolute } from '../pages/layout.ts'
import { linkTo, pathOf, type View } from '../pages/page.ts'
import { counted, directionOf } from '../pages/words.ts'
import type { Part as Listed, News } from './events.ts'
import { DAYS } from './store.ts'

/** What mails say; texts in braces are filled in. */
type MailWords = Translated<typeof en>
const WORDS: Record<string, MailWords> = { en, ca, es, de, fr, it, pt }
/** The words of a language; those of English for a language without own ones. */
const wordsIn = (language: string): MailWords => inLanguage(WORDS, language) ?? en

const day = (text: string) => readColour(text)!
/** The colours of mails on light and dark grounds, and the accent where the site has none. */
const LIGHT = { paper: '#fbf8f2', ink: '#1d1a16', soft: '#635c51', line: '#e3dccf', accent: '#a8321a' }
const DARK = { paper: '#171512', ink: '#f0ebe2', soft: '#b3aa9b', line: '#37322b', accent: '#f29a7e' }

/** The rules of a scheme: programs that know nothing of schemes keep the light one, with its ground. */
function rulesOf(scheme: typeof LIGHT, color: string): string {
  const { paper, ink, soft, line } = scheme
  const own = readColour(color)
  const accent = own ? legible(own, day(paper)) : scheme.accent
  return `body,.paper{background:${paper};color:${ink}}a{color:${accent}}h1,h2,h3,.number,.entry a{color:${ink}}.soft,.soft a{color:${soft}}.rule td{border-top:1px solid ${line}}.button a{background:${accent};color:${paper}}`
}
const SHAPES =
  'body{margin:0;font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5}' +
  'table{border-collapse:collapse;width:100%}td{padding:0;vertical-align:top}.sheet{max-width:600px;margin:0 auto}.sheet>tbody>tr>td{padding:28px 20px}' +
  'h1,h2,h3,.number,.site{font-family:Georgia,"Times New Roman",serif;font-weight:bold;line-height:1.2;margin:0}h2{font-size:20px;padding:28px 0 12px}h3{font-size:18px}' +
  'p{margin:0;padding:2px 0}.site{font-size:16px}.title{font-size:30px;padding:20px 0 0}.site a,.entry a{text-decoration:none}.day{width:76px;padding:16px 0}.entry{padding:16px 0}.next{padding-top:18px}.number{font-size:36px;line-height:1}.soft{font-size:14px}' +
  '.lead{padding:12px 0}.choice{padding:8px 0 8px;font-weight:bold}.button{padding:16px 0}.button a{display:inline-block;padding:12px 22px;border-radius:6px;font-weight:bold;text-decoration:none}.foot{padding:28px 0 0}.peek{display:none;font-size:1px;max-height:0;overflow:hidden}'

/** A mail in HTML around its main part: no pictures, and nothing that is loaded from elsewhere. `peek` is what programs show beside the subject. */
function sheet(view: View, color: string, subject: string, peek: string, main: Markup): string {
  const { front, language } = view
  const styles = `${SHAPES}${rulesOf(LIGHT, color)}@media (prefers-color-scheme:dark){${rulesOf(DARK, color)}}`
  return textOf(html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>:root{color-scheme:light dark}${trusted(styles)}</style>
</head>
<body>
<table role="presentation" class="paper"><tr><td>
<table role="presentation" class="sheet"><tr><td><main>
<div class="peek">${peek}</div>
<h1 class="site"><a href="${absolute(view, pathOf(view, '/'))}">${front.name}</a></h1>
${main}
</main></td></tr></table>
</td></tr></table>
</body>
</html>
`)
}

/** To whom a mail goes, how the site looks, and what was chosen, in words. */
type Common = { view: View; color: string; recipient: string; choice: string }
const lines = (...texts: (string | false)[]) => `${texts.filter(Boolean).join('\n\n')}\n`

/** The mail with the link that confirms a subscription. */
export function confirmationMail({ view, color, recipient, choice }: Common, path: string): Mail {
  const words = wordsIn(view.language)
  const site = withoutControls(view.front.name)
  const link = absolute(view, path)
  const subject = fill(words.confirm_subject, { site })
  const text = fill(words.confirm, { site })
  const until = fill(words.confirm_until, { days: DAYS })
  return {
    recipient,
    subject,
    text: lines(text, choice, words.confirm_link, link, until, words.confirm_ignore),
    html: sheet(
      view,
      color,
      subject,
      text,
      html`<h2 class="title">${words.confirm_title}</h2>
<p class="lead">${text}</p>
<p class="choice">${choice}</p>
<p class="button"><a href="${link}">${words.confirm_button}</a></p>
<p class="soft">${until}</p>
<p class="soft">${words.confirm_ignore}</p>`,
    ),
  }
}

/** What is said of an event below its title. */
function factsOf(view: View, event: EventRecord, { repeats }: Listed): string[] {
  const more = repeats.get(event.id)?.more
  return [
    [placeInWords(event, view), priceInWords(event, view)].filter(Boolean).join(' · '),
    more === undefined ? '' : counted(view.words.more_dates, more, view.language),
  ].filter(Boolean)
}
/** When an event is on its day, with the zone of other times than those of the site. */
function timeOf(view: View, event: EventRecord): string {
  const { words, language } = view
  const time = event.all_day ? words.all_day : timeInWords(event.start_date, language)
  const until = isLong(event) && fill(words.until, { date: shortDay(event.end_date, view) })
  return [[time, zoneOf(event, view)?.short].filter(Boolean).join(' '), until].filter(Boolean).join(' · ')
}
const addressOf = (view: View, event: EventRecord) => absolute(view, linkTo(view, event))

/** Events below the days on which they start. */
function byDay(events: EventRecord[]): [day: string, events: EventRecord[]][] {
  const days = new Map<string, EventRecord[]>()
  for (const event of events) {
    const day = event.start_date.slice(0, 10)
    days.set(day, [...(days.get(day) ?? []), event])
  }
  return [...days]
}

function entryOf(view: View, event: EventRecord, listed: Listed, at: number): Markup {
  return html`<div${at > 0 && html` class="next"`}><p class="soft">${timeOf(view, event)}</p>
<h3><a href="${addressOf(view, event)}">${event.title}</a></h3>
${factsOf(view, event, listed).map((fact) => html`<p class="soft">${fact}</p>`)}</div>`
}
function partOf(view: View, title: string, listed: Listed, more: string): Part {
  const { language } = view
  const { events } = listed
  return (
    events.length > 0 &&
    html`<h2>${title}</h2>
<table role="presentation">${byDay(events).map(
      ([
        day,
        events,
      ]) => html`<tr class="rule"><td class="day"><p class="number">${inWords(day, language, { day: 'numeric' })}</p>
<p class="soft">${asTitle(inWords(day, language, { weekday: 'short' }), language)}<br>${inWords(day, language, { month: 'short' })}</p></td>
<td class="entry">${events.map((event, at) => entryOf(view, event, listed, at))}</td></tr>`,
    )}</table>
${more && html`<p class="soft"><a href="${absolute(view, pathOf(view, '/events/'))}">${more}</a></p>`}`
  )
}
const plainPart = (view: View, title: string, listed: Listed, more: string) =>
  listed.events.length > 0 &&
  lines(
    title.toLocaleUpperCase(view.language),
    ...byDay(listed.events).map(([day, events]) =>
      [
        asTitle(dateInWords(day, view.language), view.language),
        ...events.map((event) =>
          [
            `${timeOf(view, event)}  ${withoutControls(event.title)}`,
            ...factsOf(view, event, listed),
            addressOf(view, event),
          ].join('\n  '),
        ),
      ].join('\n'),
    ),
    more,
  ).trim()

/** Headers of mails of a list (RFC 2369, RFC 2919), which a program ends with one request (RFC 8058). */
const headersOf = (view: View, link: string) => ({
  'List-Id': `<digest.${new URL(view.front.base).hostname}>`,
  'List-Unsubscribe': `<${link}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  Precedence: 'list',
})

/** The mail that tells of events. `path` is the page on which the subscription is changed or ended. */
export function digestMail(
  { view, color, recipient, choice }: Common,
  { week, published }: News,
  path: string,
): Mail {
  const { language, front } = view
  const words = wordsIn(language)
  const site = withoutControls(front.name)
  const link = absolute(view, path)
  const count = published.events.length + published.more
  const titles = [...week.events, ...published.events].map(({ title }) => withoutControls(title))
  const news = count === 1 ? titles[0]! : counted(words.new_events, count, language)
  const subject = fill(week.events.length > 0 ? words.week_subject : words.published_subject, { site, news })
  const moreOf = ({ more }: Listed) => (more > 0 ? counted(words.more, more, language) : '')
  const why = fill(words.why, { site })
  const parts = [
    [words.week, week],
    [words.published, published],
  ] as const
  return {
    recipient,
    subject,
    text: lines(
      ...parts.map(([title, listed]) => plainPart(view, title, listed, moreOf(listed))),
      `-- \n${why}\n${choice}`,
      `${words.change}:\n${link}`,
    ),
    html: sheet(
      view,
      color,
      subject,
      titles.slice(0, 5).join(' · '),
      html`${parts.map(([title, listed]) => partOf(view, title, listed, moreOf(listed)))}
<p class="button"><a href="${absolute(view, pathOf(view, '/events/'))}">${words.all_events}</a></p>
<p class="soft foot">${why}<br>${choice}</p>
<p class="soft"><a href="${link}">${words.change}</a></p>`,
    ),
    headers: headersOf(view, link),
  }
}
