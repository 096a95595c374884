import type { DigestChoice } from '../../../drizzle/tables.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { pathOf, type View } from '../pages/page.ts'
import type { Pages } from '../pages/pages.ts'
import { openNews, weekOf } from './events.ts'
import { inWords, PATH } from './form.ts'
import { digestMail } from './mail.ts'
import { type Digest, SETTLES } from './store.ts'

/** Addresses that are looked at in a row without anything to tell. */
const LOOKED_AT = 50

/** Says a choice in words, on one line. */
export const openChoiceWords =
  ({ store }: Service) =>
  async (view: View, choice: Pick<DigestChoice, 'every' | 'filters'>): Promise<string> => {
    const terms = await store.records.terms(choice.filters.categories ?? [])
    return inWords(
      view,
      choice,
      terms.map(({ name }) => name),
    )
  }

/**
 * What writes the mails, by a look each second: one at most, so that other mails never wait behind thousands. Of several processes and nodes
 * the one that sends mail does so.
 */
export function openSending(
  service: Service,
  { viewIn, front }: Pick<Pages, 'viewIn' | 'front'>,
): () => Promise<void> {
  const { site, branding } = service
  const { digests } = service.store
  const news = openNews(service)
  const wordsOf = openChoiceWords(service)

  /** The mail that tells an address of what is new; undefined if nothing is. */
  async function mailFor(digest: Digest, until: string) {
    const told = await news.of(digest, until)
    if (told.week.events.length + told.published.events.length === 0) return undefined
    const { language, email: recipient } = digest
    // the site may have lost a language
    const view = viewIn(front.languages.includes(language) ? language : front.languages[0]!)
    const common = { view, color: branding().color, recipient, choice: await wordsOf(view, digest) }
    return digestMail(common, told, pathOf(view, `${PATH}${await digests.keyOf(digest.id)}/`))
  }
  return async () => {
    const until = toWall(site.clock() - SETTLES, 'UTC')
    const week = weekOf(until, site.zone)
    const newest = await news.newest(until)
    for (let at = 0; at < LOOKED_AT; at++) {
      const digest = await digests.due(until, week, newest)
      if (!digest || !(await digests.isFresh())) return
      const mail = await mailFor(digest, until)
      await digests.told(digest, until, mail)
      if (mail) return
    }
  }
}
