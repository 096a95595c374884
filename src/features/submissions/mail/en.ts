/** Mails to people who propose events and to editors, in English. Texts in braces are filled in. */
export const en = {
  hello: 'Hello {name},',
  received_subject: 'Received: {title}',
  received: 'thank you for proposing “{title}” for {site}. The editors look at it before it is published.',
  received_link: 'Here you correct or withdraw it until then. Whoever has this link can do so too:',
  asked_subject: 'A question about “{title}”',
  asked: 'the editors of {site} ask about “{title}”:',
  asked_link: 'Please correct it here. This link takes the place of the one before:',
  accepted_subject: 'Published: {title}',
  accepted: '“{title}” is published on {site}.',
  refused_subject: 'Not published: {title}',
  refused: 'the editors of {site} do not publish “{title}”.',
  reply: 'The editors write:',
  ignore: 'If you did not propose this, you need not do anything.',
  // to the editors
  editors_subject: 'Proposed for {site}',
  editors: 'Proposed for {site}:',
  editors_more: 'and {more} more',
  editors_waiting: 'Waiting for a decision: {waiting}.',
  editors_link: 'Decide here:',
  editors_often: 'There is one such mail an hour at most.',
}
export type MailWords = Record<keyof typeof en, string>
