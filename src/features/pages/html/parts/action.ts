import type { EventRecord } from '../../../../calendar/formats/records.ts'
import { html, type Markup, type Part } from '../../../../kernel/text/markup.ts'
import type { View } from '../view.ts'

/** The one thing to do about an event, with the address that it is at. */
export type Action = { name: 'tickets' | 'visit' | 'join_online'; url: string }

/** What to do about an event: get tickets, take part online, or read more; undefined if it is over or does not take place, or has no address. */
export function actionOf(event: EventRecord, isOver: boolean): Action | undefined {
  const { website, virtual_url, ticketed, event_status, attendance_mode } = event
  if (isOver || event_status === 'cancelled') return undefined
  const isPlanned = event_status !== 'postponed'
  if (website && ticketed && isPlanned) return { name: 'tickets', url: website }
  const isOnline = event_status === 'moved_online' || attendance_mode === 'online'
  if (virtual_url && isPlanned && (isOnline || !website)) return { name: 'join_online', url: virtual_url }
  return website ? { name: 'visit', url: website } : undefined
}

/** A button that says what it does and where it leads. */
export const actionButton = ({ words }: View, action: Action | undefined): Part =>
  action &&
  html`<p class="action"><a class="button" href="${action.url}" rel="noopener">${words[action.name]}</a> <span>${new URL(action.url).host.replace(/^www\./, '')}</span></p>`

/** A button that shares the address of a page, or copies it. It is hidden until the script knows that one of them works. */
export const shareButton = ({ words }: View): Markup =>
  html`<div class="share" hidden><button type="button" data-copied="${words.copied}">${words.share}</button> <span role="status"></span></div>`
