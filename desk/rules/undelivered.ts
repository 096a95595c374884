/** What the API says of messages that were not taken, and of webhooks that were paused, with the word of the desk for it. */
const KNOWN = [
  [/answered 410/, 'hook_gone'],
  [/redirects \(status/, 'hook_redirects'],
  [/with status (?<code>\d+)/, 'hook_refused'],
  [/not answer within (?<seconds>[\d.]+) seconds/, 'hook_silent'],
  [/can not be reached: (?<code>\w+)/, 'hook_unreachable'],
  [/is not allowed: it is/, 'hook_not_allowed'],
  [/closed the connection/, 'hook_broken_off'],
  [/stopped before the server/, 'hook_cut_off'],
  [/^It(s owner .*| has no owner)\b/, 'hook_ownerless'],
] as const

/** Why a message was not taken, or none is sent: a word of the desk and its values, or nothing for what it has no word for. */
export function undelivered(text: string) {
  for (const [pattern, word] of KNOWN) {
    const found = pattern.exec(text)
    if (found) return { word, values: { ...found.groups } }
  }
  return undefined
}
