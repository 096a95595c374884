import type { DigestChoice } from '../../../drizzle/tables.ts'
import type { TermRecord } from '../../calendar/formats/records.ts'
import { checkSearch } from '../../calendar/routes/event-query.ts'
import { isMailAddress } from '../../kernel/access/users.ts'
import { html, type Markup, type Part } from '../../kernel/text/markup.ts'
import { readQuery } from '../../kernel/text/search.ts'
import { fill } from '../../kernel/text/words.ts'
import { headline, layout } from '../pages/layout.ts'
import { pathOf, pathsIn, type View } from '../pages/page.ts'
import { DAYS } from './store.ts'

/** The path of the page on which one subscribes, and of the pages below it, without language. */
export const PATH = '/events/digest/'
/** What one may choose from. */
export type Choices = { categories: TermRecord[]; towns: string[] }
/** The fields as they are sent: a name may come several times. */
export type Sent = Record<string, unknown>
/** What is wrong with fields, in words. */
type Problems = { email?: string; q?: string }
/** The form as it is shown. Without `email` it is that of an address which is known. */
export type Form = Choices & {
  choice: Omit<DigestChoice, 'language'>
  email: string | undefined
  problems: Problems
  trouble?: string | undefined
}

/** Characters of what is looked for. */
const LONGEST = 100
/** With more categories than these, they are behind a line that opens. */
const FEW = 14

const textsOf = (value: unknown): string[] =>
  [value].flat().filter((text): text is string => typeof text === 'string')
const textOf = (sent: Sent, name: string): string => (textsOf(sent[name]).at(-1) ?? '').trim()

/** The choice of a form: categories and towns that there are not are left out. */
export function choiceOf(sent: Sent, { categories, towns }: Choices): Form['choice'] {
  const ids = new Set(textsOf(sent.category))
  const chosen = categories.map(({ id }) => id).filter((id) => ids.has(String(id)))
  const [town, q] = [textOf(sent, 'town'), textOf(sent, 'q')]
  return {
    every: textOf(sent, 'every') === 'publication' ? 'publication' : 'week',
    filters: {
      ...(chosen.length > 0 && { categories: chosen }),
      ...(towns.includes(town) && { town }),
      ...(q !== '' && { q }),
    },
  }
}

/** The form as it was sent, with what is wrong with it. Only that of a new subscription has an address. */
export function readForm({ words }: View, sent: Sent, choices: Choices, isNew: boolean): Form {
  const choice = choiceOf(sent, choices)
  const { q } = choice.filters
  const email = isNew ? textOf(sent, 'email') : undefined
  const isLong = q !== undefined && (q.length > LONGEST || checkSearch(readQuery(q)) !== undefined)
  const problems = {
    ...(email !== undefined &&
      !isMailAddress(email) && { email: email === '' ? words.submit_needed : words.submit_email_wrong }),
    ...(isLong && { q: words.digest_words_wrong }),
  }
  return { ...choices, choice, email, problems }
}
export const isRight = ({ problems }: Form): boolean => Object.keys(problems).length === 0
/** Whether somebody filled in what no person sees. */
export const isTrapped = (sent: Sent): boolean => textOf(sent, 'reason') !== ''

/** A choice in words, on one line. `names` are those of its categories. */
export const inWords = ({ words }: View, { every, filters }: Form['choice'], names: string[]): string =>
  [
    every === 'week' ? words.digest_week : words.digest_publication,
    ...names,
    ...(filters.town === undefined ? [] : [filters.town]),
    ...(filters.q === undefined ? [] : [fill(words.quoted, { word: filters.q })]),
  ].join(' · ')

function often({ words }: View, every: DigestChoice['every']): Markup {
  const one = (value: DigestChoice['every'], label: string, hint: string) =>
    html`<label class="choice"><input type="radio" name="every" value="${value}"${value === every && html` checked`}> <span>${label}<span class="hint">${hint}</span></span></label>`
  return html`<fieldset><legend>${words.digest_often}</legend>
<div class="choices">${one('week', words.digest_week, words.digest_week_long)}
${one('publication', words.digest_publication, words.digest_publication_long)}</div></fieldset>`
}

function categoryBoxes({ words }: View, categories: TermRecord[], chosen: number[]): Part {
  if (categories.length === 0) return ''
  const boxes = html`<ul class="picks">${categories.map(
    ({ id, name }) =>
      html`<li><label><input type="checkbox" name="category" value="${id}"${chosen.includes(id) && html` checked`}> ${name}</label></li>`,
  )}</ul>`
  const shown =
    categories.length > FEW
      ? html`<details${chosen.length > 0 && html` open`}><summary>${fill(words.digest_more_categories, { count: categories.length })}</summary>${boxes}</details>`
      : boxes
  return html`<div role="group" aria-labelledby="categories"><p id="categories"><strong>${words.categories}</strong></p>${shown}</div>`
}

const townField = ({ words }: View, towns: string[], chosen: string | undefined): Part =>
  towns.length > 1 &&
  html`<p><label for="town">${words.submit_city}</label>
<select id="town" name="town"><option value="">${words.any_venue}</option>${towns.map(
    (town) => html`<option${town === chosen && html` selected`}>${town}</option>`,
  )}</select></p>`

const problemOf = (id: string, problem: string | undefined): Part =>
  problem && html` <span class="problem" id="${id}">${problem}</span>`

/** The fields, and the button that sends them. */
function formOf(view: View, form: Form, path: string, save: Markup): Markup {
  const { words } = view
  const { choice, email, problems, trouble, categories, towns } = form
  const { categories: chosen = [], town, q } = choice.filters
  return html`<form class="proposal" method="post" action="${path}">
${trouble && html`<p class="problem" role="alert">${trouble}</p>`}
${
  email !== undefined &&
  html`<p><label for="email">${words.submit_email}</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email" value="${email}"${problems.email && html` aria-invalid="true" aria-describedby="email-problem"`}>${problemOf('email-problem', problems.email)}</p>`
}
${often(view, choice.every)}
<fieldset><legend>${words.digest_which}</legend>
<p class="hint">${words.digest_which_long}</p>
${categoryBoxes(view, categories, chosen)}
<div class="pair">${townField(view, towns, town)}<p><label for="words">${words.digest_words}</label>
<input id="words" name="q" type="text" maxlength="${LONGEST}" value="${q}" placeholder="${words.digest_words_hint}"${problems.q && html` aria-invalid="true" aria-describedby="words-problem"`}>${problemOf('words-problem', problems.q)}</p></div></fieldset>
${email !== undefined && html`<p class="trap" aria-hidden="true"><label>${words.submit_trap} <input type="text" name="reason" tabindex="-1" autocomplete="off"></label></p>`}
${save}
</form>`
}

/** A page below the one on which one subscribes, for whoever has its address, or for a moment. */
const page = (view: View, title: string, path: string, main: Part): Markup =>
  layout(
    view,
    { title, canonical: path, hidden: true, sheet: 'submit' },
    html`<div class="frame">
<div class="head">${headline(view, title)}</div>
${main}
</div>`,
  )
const back = (view: View, text: string, path: string): Markup =>
  html`<p class="other"><a href="${pathOf(view, path)}">${text}</a></p>`

/** The page on which one subscribes. */
export function subscribingPage(view: View, form: Form): Markup {
  const { words } = view
  const path = pathOf(view, PATH)
  return layout(
    view,
    {
      title: words.digest,
      description: words.digest_lead,
      canonical: path,
      translations: pathsIn(view.front, PATH),
      sheet: 'submit',
    },
    html`<div class="frame">
<div class="head">${headline(view, words.digest)}<p class="lead">${words.digest_lead}</p></div>
${formOf(view, form, path, html`<div class="sending"><button>${words.subscribe}</button><p class="hint">${words.digest_privacy}</p></div>`)}
</div>`,
  )
}

/** The page that says that a mail is on its way, whether or not one is. */
export const sentPage = (view: View): Markup =>
  page(
    view,
    view.words.digest_sent,
    pathOf(view, `${PATH}sent/`),
    html`<div class="news" role="status"><p>${fill(view.words.digest_sent_long, { days: DAYS })}</p></div>
<p>${view.words.digest_sent_none}</p>
${back(view, view.words.digest_again, PATH)}`,
  )

/** The page with the button that confirms: programs that look at mails follow its link, and press nothing. */
export const confirmingPage = (view: View, path: string, email: string, choice: string): Markup =>
  page(
    view,
    view.words.digest_confirm,
    path,
    html`<form class="proposal" method="post" action="${path}"><div class="news"><p>${fill(view.words.digest_confirm_long, { email })}</p>
<p><strong>${choice}</strong></p></div>
<p><button>${view.words.digest_confirm_yes}</button></p></form>`,
  )

/** The page of a subscription: what it is, how it is changed, and how it ends. */
export function ownPage(
  view: View,
  path: string,
  { owner, choice, done }: { owner: string; choice: string; done?: string | undefined },
  form: Form,
): Markup {
  const { words } = view
  const save = html`<p><button class="plain" name="save" value="yes">${words.submit_save}</button></p>`
  return page(
    view,
    words.digest_yours,
    path,
    html`${done && html`<div class="news" role="status"><p>${done}</p></div>`}
<form class="proposal" method="post" action="${path}"><p><strong>${owner}</strong><br>${choice}</p>
<div class="sending"><button${done && html` class="plain"`}>${words.digest_stop}</button><p class="hint">${words.digest_stop_long}</p></div></form>
<section aria-labelledby="change"><h2 id="change">${words.digest_change}</h2>
${formOf(view, form, path, save)}</section>`,
  )
}

/** The page after the end of a subscription. */
export const endedPage = (view: View, path: string): Markup =>
  page(
    view,
    view.words.digest_stopped,
    path,
    html`<div class="news" role="status"><p>${view.words.digest_stopped_long}</p></div>
${back(view, view.words.digest_again, PATH)}`,
  )

/** The page of a link that has ended, or is none. */
export const overPage = (view: View, path: string): Markup =>
  page(
    view,
    view.words.digest_over,
    path,
    html`<p>${fill(view.words.digest_over_long, { days: DAYS })}</p>
${back(view, view.words.digest_again, PATH)}`,
  )
