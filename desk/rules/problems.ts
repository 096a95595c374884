import type en from '../../words/en/desk-problems.json'

/** What can be wrong with a value, as `words/<language>/desk-problems.json` names it. */
export type Problem = keyof typeof en

/** What the API says of values, with the problem that it is. The first that fits counts. */
const KNOWN: readonly (readonly [RegExp, Problem])[] = [
  [/^must not be (empty|null)/, 'empty'],
  [/^must (contain text|be a text other)/, 'no_text'],
  [/^must contain letters or digits/, 'letters'],
  [/^must have at most (?<most>\d+) characters/, 'too_long'],
  [/name of more than (?<most>\d+) characters/, 'too_long'],
  [/^must be a whole number from (?<from>\S+) to (?<to>[^.]+)\./, 'whole'],
  [/^must be a number from (?<from>\S+) to (?<to>[\d.-]+)\.$/, 'number'],
  [/^must be 1 to (?<to>\d+)\./, 'whole'],
  [/^must be one or more of (?<words>.+?)(, as a list or)? ?(, )?(separated by commas)?\.$/, 'some_of'],
  [/^must be one of (?<words>.+)\.$/, 'one_of'],
  [/^must be (a date such as|a day, such as|a local time|in seconds)/, 'date'],
  [/^must have at least nine digits/, 'date'],
  [/must not lie before the start/, 'order'],
  [/^(is needed beside|requires) geo/, 'coordinates'],
  [/^names a day or time that does not exist/, 'no_day'],
  [/^is ambiguous; write (?<days>.+)\.$/, 'ambiguous'],
  [/^must (not be before|be (after|later than)) (start|from)/, 'order'],
  [/^must be an IANA time zone/, 'zone'],
  [/^must be an absolute http/, 'url'],
  [/^must be a colour/, 'color'],
  [/^must be an ISO 4217/, 'currency'],
  [/^must be one or more codes of languages/, 'languages'],
  [/^has a link, number (?<number>\d+)/, 'link'],
  [/^is set by the variable (?<variable>\w+) of the environment/, 'environment'],
  [/^can not be changed here any more, because there are records/, 'held'],
  [/^must have 1 to 60 characters/, 'login'],
  [/user .* exists already\.$/, 'user_exists'],
  [/is the last administrator/, 'last_administrator'],
  [/^must be the ID of another user/, 'heir'],
  [/^is wrong, or not of now/, 'code_wrong'],
  [/was used, or has ended\./, 'step_ended'],
  [/passkey has been added already/, 'passkey_taken'],
  [/^A user has at most (?<most>\d+) passkeys/, 'passkeys_full'],
  [/^must be what an authenticator made|^The passkey was made/, 'passkey_bad'],
  [/exists in the language "[^"]+" already/, 'translated'],
  [/^must be later than now/, 'expiry'],
  [/^The log (begins|ends) with change/, 'logged'],
  [/^must have at least (?<least>\d+) characters/, 'too_short'],
  [/^must not be the login, the name or the address/, 'own_name'],
  [/^must not be one that many people use/, 'known_password'],
  [/^is not the password/, 'present'],
  [/^must not have control characters/, 'password'],
  [/^must be an address of mail/, 'email'],
  [/^Another user has this address/, 'email_taken'],
  [/^must be text without control characters/, 'password'],
  [/(private|public|own) (host|address|network)|must be public|may not be reached/, 'host'],
  [/^must (give|leave|have a time|be a date)/, 'rule'],
  [/^There is no .*?(?<id>\d+)/, 'unknown_id'],
]

/** The problem that a text of the API is about, and the values in it. */
export function problemOf(text: string): { problem: Problem; values: Record<string, string> } {
  for (const [pattern, problem] of KNOWN) {
    const found = pattern.exec(text)
    if (found) return { problem, values: { from: '1', ...found.groups } }
  }
  return { problem: 'other', values: {} }
}

/** What is said of the parts of a record in one text, `start_date "soon": must be …`: of each its name with what it has, and what is wrong. */
export const problemsIn = (text: string): { name?: string | undefined; text: string }[] =>
  text.split(/(?<=\.) (?=[^.:"]+(?: "[^"]*")?: )/).map((part) => {
    const [, name, said = part] = /^([^:"]+(?: ".*?")?): (.*)$/s.exec(part) ?? []
    return { name, text: said }
  })

/** Statements one after the other: a semicolon stands behind those that end without a full stop. */
export const inOneLine = (statements: string[]): string => statements.join('; ').replaceAll('.; ', '. ')

/** What the API says of messages that were not taken, and of webhooks that were paused, with the word of the desk for it. */
const DELIVERY = [
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
  for (const [pattern, word] of DELIVERY) {
    const found = pattern.exec(text)
    if (found) return { word, values: { ...found.groups } }
  }
  return undefined
}
