import { storedStem } from '../../../kernel/text/text.ts'
import { toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { type Context, escaped, type Links, link, moment, type Own, rendered, type Where } from './shown.ts'

/** How a picture is read: the language of its texts, and the time zone of the site. */
type Read = { language: string; zone: string }

const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)

/** The text in a language, or else the first there is. */
const textIn = (texts: Record<string, string>, language: string) =>
  texts[language] ?? Object.values(texts)[0] ?? ''

/**
 * A picture, with its `captions`, as an attachment of WordPress. Its title is the name of the file that was uploaded; its texts are those in a
 * language, or else the first there are.
 */
export function mediaShown(own: Own, context: Context, { language, zone }: Read) {
  const uploaded = toWall(toEpoch(own.date_utc, 'UTC'), zone)
  const name = nameOf(own.source_url)
  const title = storedStem(name)
  const size = (url: string, { width, height, filesize }: Own) => ({
    ...{ file: nameOf(url), width, height, filesize, mime_type: own.mime_type, source_url: url },
  })
  const sizes = Object.entries(own.sizes as Record<string, Own>).map(([name, one]) => [
    name,
    size(one.url, one),
  ])
  return {
    id: own.id,
    date: moment(uploaded),
    date_gmt: moment(own.date_utc),
    guid: rendered(context, own.source_url),
    modified: moment(uploaded),
    modified_gmt: moment(own.date_utc),
    slug: title,
    status: 'inherit',
    type: 'attachment',
    link: own.source_url,
    title: rendered(context, escaped(title), title),
    author: Number(own.author),
    caption: rendered(context, textIn(own.captions, language)),
    description: rendered(context, ''),
    alt_text: textIn(own.alt_texts, language),
    media_type: 'image',
    mime_type: own.mime_type,
    media_details: {
      ...{ width: own.width, height: own.height, file: name, filesize: own.filesize },
      sizes: { ...Object.fromEntries(sizes), full: size(own.source_url, own) },
    },
    source_url: own.source_url,
  }
}

/** The links of a picture. */
export const mediaLinks = (own: Own, { rest }: Where): Links => ({
  self: link(`${rest}/wp/v2/media/${own.id}`),
  collection: link(`${rest}/wp/v2/media`),
  about: link(`${rest}/wp/v2/types/attachment`),
})
