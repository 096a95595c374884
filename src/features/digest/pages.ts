import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DigestChoice } from '../../../drizzle/tables.ts'
import { family } from '../../calendar/resource/service.ts'
import { type Counted, countedOf } from '../../kernel/access/quotas.ts'
import { withoutLinks } from '../../kernel/outbound/mail.ts'
import { fill } from '../../kernel/text/words.ts'
import { textIn } from '../pages/event-queries.ts'
import { addPage, pathOf, routesOf, sendPage, untilWritten, type View } from '../pages/page.ts'
import { openNews } from './events.ts'
import {
  type Choices,
  choiceOf,
  confirmingPage,
  endedPage,
  isRight,
  isTrapped,
  overPage,
  ownPage,
  PATH,
  readForm,
  type Sent,
  sentPage,
  subscribingPage,
} from './form.ts'
import { confirmationMail } from './mail.ts'
import { openChoiceWords, openSending } from './sending.ts'
import type { Digest } from './store.ts'

/** Subscriptions of the networks of a client, from its own to wider ones, and of all. */
const SENT = [
  { hour: 10, day: 30 },
  { hour: 50, day: 150 },
  { hour: 150, day: 500 },
]
const ALL: Counted = { what: 'digests', quota: { hour: 300, day: 1_000 } }
/** Categories and towns to choose from. */
const CATEGORIES = 300
const TOWNS = 100
/** Bytes of a form. */
const MOST = 2 ** 16

/** `/events/digest/`, where visitors subscribe to events by mail, and the pages that links of mails lead to. They need no script. */
export const digestPages = family('digests', async (app, service) => {
  const { store, branding } = service
  const { digests } = store
  const { viewIn } = app.pages!
  const wordsOf = openChoiceWords(service)
  const news = openNews(service)

  /** What people choose from in a language, with categories that were chosen before. */
  const listed = untilWritten(service, async (language): Promise<Choices> => {
    const byName = { page: 1, per_page: CATEGORIES, orderby: 'name', order: 'asc', hide_empty: true } as const
    const { ids } = await store.categories.list({ ...byName, language }, undefined)
    return { categories: await store.records.terms(ids), towns: await news.towns(TOWNS) }
  })
  async function choicesIn(language: string, { filters }: Pick<DigestChoice, 'filters'> = { filters: {} }) {
    const { categories, towns } = await listed(language)
    const known = new Set(categories.map(({ id }) => id))
    const more = await store.records.terms((filters.categories ?? []).filter((id) => !known.has(id)))
    const isThere = filters.town === undefined || towns.includes(filters.town)
    return {
      categories: [...categories, ...more],
      towns: isThere ? towns : [...towns, filters.town!],
    }
  }
  const ownPath = async (view: View, id: number) => pathOf(view, `${PATH}${await digests.keyOf(id)}/`)
  app.digest(openSending(service, app.pages!))

  const ownerOf = async (view: View, digest: Digest) => ({
    owner: digest.email,
    choice: await wordsOf(view, digest),
  })

  const unshown = (reply: FastifyReply) =>
    reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  const over = (reply: FastifyReply, view: View, path: string) =>
    sendPage(reply.code(404), overPage(view, path))
  const sentIn = ({ body }: FastifyRequest) => (body ?? {}) as Sent
  const textOf = (request: FastifyRequest) => (request.params as { text: string }).text

  addPage(app, service, '/events/digest', 'list', ['category', 'town', 'q'], async (view, request) => {
    const choices = await choicesIn(view.language)
    const slugs = textIn(request, 'category')?.split(',') ?? []
    const category = choices.categories.filter(({ slug }) => slugs.includes(slug)).map(({ id }) => String(id))
    const given = { category, town: textIn(request, 'town'), q: textIn(request, 'q') }
    return subscribingPage(view, { ...choices, choice: choiceOf(given, choices), email: '', problems: {} })
  })
  addPage(app, service, '/events/digest/sent', 'read', [], async (view) => sentPage(view))

  const reading = { schema: { hide: true }, config: { page: 'calendar', costs: true } } as const
  const writing = {
    schema: { hide: true },
    bodyLimit: MOST,
    config: { page: 'calendar', operation: 'create' },
  } as const

  for (const { url, language } of routesOf(service, '/events/digest')) {
    app.post(url, writing, async (request, reply) => {
      unshown(reply)
      const view = viewIn(language)
      const sent = sentIn(request)
      const form = readForm(view, sent, await choicesIn(language), true)
      const again = (status: number, trouble: string) =>
        sendPage(reply.code(status), subscribingPage(view, { ...form, trouble }))
      if (isTrapped(sent)) return again(400, view.words.submit_trap)
      if (!isRight(form)) return again(400, view.words.submit_problems)
      const email = form.email!
      const choice = { ...form.choice, language }
      const { q } = choice.filters
      const said = {
        ...choice,
        filters: { ...choice.filters, ...(q !== undefined && { q: withoutLinks(q) }) },
      }
      const common = { view, color: branding().color, recipient: email, choice: await wordsOf(view, said) }
      const wait = await digests.propose(
        email,
        choice,
        [...countedOf(request, 'digests', SENT), ALL],
        async (link) => confirmationMail(common, pathOf(view, `${PATH}confirm/${link}/`)),
      )
      if (wait === 0) return reply.redirect(pathOf(view, `${PATH}sent/`), 303)
      reply.header('retry-after', String(wait))
      return again(429, fill(view.words.digest_busy, { minutes: Math.ceil(wait / 60) }))
    })

    app.get(`${url}/confirm/:text`, reading, async (request, reply) => {
      unshown(reply)
      const view = viewIn(language)
      const path = pathOf(view, `${PATH}confirm/${textOf(request)}/`)
      const digest = await digests.byLink(textOf(request))
      if (!digest) return over(reply, view, path)
      return sendPage(reply, confirmingPage(view, path, digest.email, await wordsOf(view, digest.proposed)))
    })
    app.post(`${url}/confirm/:text`, writing, async (request, reply) => {
      unshown(reply)
      const view = viewIn(language)
      const id = await digests.confirm(textOf(request))
      if (id === undefined) return over(reply, view, pathOf(view, `${PATH}confirm/${textOf(request)}/`))
      return reply.redirect(`${await ownPath(view, id)}?new`, 303)
    })

    app.get(`${url}/:text`, reading, async (request, reply) => {
      unshown(reply)
      const view = viewIn(language)
      const path = pathOf(view, `${PATH}${textOf(request)}/`)
      const found = await digests.byKey(textOf(request))
      if (!found) return over(reply, view, path)
      if (!found.digest) return sendPage(reply, endedPage(view, path))
      const { digest } = found
      const form = { ...(await choicesIn(language, digest)), choice: digest, email: undefined, problems: {} }
      const { words } = view
      const isNew = request.originalUrl.endsWith('?new')
      const done = isNew
        ? words.digest_confirmed
        : request.originalUrl.endsWith('?saved')
          ? words.digest_saved
          : undefined
      return sendPage(reply, ownPage(view, path, { ...(await ownerOf(view, digest)), done }, form))
    })
    // a program that ends it for its owner sends nothing that names what it wants (RFC 8058)
    app.post(`${url}/:text`, writing, async (request, reply) => {
      unshown(reply)
      const view = viewIn(language)
      const key = textOf(request)
      const path = pathOf(view, `${PATH}${key}/`)
      const sent = sentIn(request)
      const digest = 'save' in sent ? (await digests.byKey(key))?.digest : undefined
      if (digest) {
        const form = readForm(view, sent, await choicesIn(language, digest), false)
        if (!isRight(form))
          return sendPage(reply.code(400), ownPage(view, path, await ownerOf(view, digest), form))
        await digests.change(digest.id, { ...form.choice, language })
        return reply.redirect(`${path}?saved`, 303)
      }
      return (await digests.end(key)) ? sendPage(reply, endedPage(view, path)) : over(reply, view, path)
    })
  }
})
