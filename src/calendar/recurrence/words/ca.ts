import type { Counted, Day, RuleWords, Unit } from './words.ts'

const WEEKDAYS = ['dilluns', 'dimarts', 'dimecres', 'dijous', 'divendres', 'dissabte', 'diumenge']
const MANY = ['dilluns', 'dimarts', 'dimecres', 'dijous', 'divendres', 'dissabtes', 'diumenges']
const MONTHS = 'gener febrer març abril maig juny juliol agost setembre octubre novembre desembre'.split(' ')
const NUMBERS = ['dos', 'tres', 'quatre', 'cinc', 'sis', 'set', 'vuit', 'nou', 'deu']
const UNITS: Record<Unit, [one: string, many: string]> = {
  day: ['dia', 'dies'],
  week: ['setmana', 'setmanes'],
  month: ['mes', 'mesos'],
  year: ['any', 'anys'],
}
const ORDINALS = ['primer', 'segon', 'tercer', 'quart', 'cinquè']
const FEMININE = ['primera', 'segona', 'tercera', 'quarta', 'cinquena']
const LAST = ['l’últim', 'el penúltim', 'l’antepenúltim']
const LAST_FEMININE = ['l’última', 'la penúltima', 'l’antepenúltima']
const COUNTED: Record<Counted, string> = { date: 'data', timeOfDay: 'hora', time: 'vegada' }
const FROM_END = ' començant pel final'

/** Words and numbers that begin with a vowel as spoken: `abril`, `1` (u), `11` (onze). */
const hasVowel = (word: string | number) => /^[aeiou]|^11?\b/.test(String(word))
const el = (word: string | number) => (hasVowel(word) ? `l’${word}` : `el ${word}`)
const de = (word: string) => (hasVowel(word) ? `d’${word}` : `de ${word}`)
const al = (word: string | number) => (hasVowel(word) ? `a l’${word}` : `al ${word}`)
const del = (word: string | number) => (hasVowel(word) ? `de l’${word}` : `del ${word}`)

/** `el segon divendres`; 11 is spoken `onzè`. */
function nth(n: number, noun: string): string {
  if (n < 0 && n >= -3) return `${LAST[-n - 1]} ${noun}`
  const size = Math.abs(n)
  const article = size === 11 ? 'l’' : 'el '
  return `${article}${ORDINALS[size - 1] ?? `${size}è`} ${noun}${n < 0 ? FROM_END : ''}`
}

/** `la segona setmana`; 11 is spoken `onzena`. */
function nthFeminine(n: number, noun: string): string {
  if (n < 0 && n >= -3) return `${LAST_FEMININE[-n - 1]} ${noun}`
  const size = Math.abs(n)
  const article = size === 11 ? 'l’' : 'la '
  return `${article}${FEMININE[size - 1] ?? `${size}a`} ${noun}${n < 0 ? FROM_END : ''}`
}

const date = ({ day, month, year }: Day) =>
  `${day} ${de(MONTHS[month - 1]!)}${year === undefined ? '' : ` de ${year}`}`

function every(unit: Unit, interval: number): string {
  const [one, many] = UNITS[unit]
  if (interval === 1) return `cada ${one}`
  const number = interval === 2 && unit === 'week' ? 'dues' : (NUMBERS[interval - 2] ?? interval)
  return `cada ${number} ${many}`
}

/** How Catalan says the parts of a rule. */
export const ca: RuleWords = {
  locale: 'ca',
  weekdays: WEEKDAYS,
  manyWeekdays: MANY,
  every,
  everyWeekday: (weekdays) => `cada ${weekdays}`,
  allDays: 'tots els dies',
  allWeekdays: (weekdays, join) => `tots els ${join(weekdays.map((day) => MANY[day]!))}`,
  onWeekdays: (weekdays, join) => `els ${join(weekdays.map((day) => MANY[day]!))}`,
  fromTo: (first, last) => ` de ${first} a ${last}`,
  theWeekdays: (weekdays, join) => join(weekdays.map((day) => `el ${WEEKDAYS[day]}`)),
  afterEvery: (days) => `, ${days}`,
  on: '',
  nthWeekday: nth,
  nthOfAll: (n, weekdays) => `${nth(n, '').replace(/ +/g, ' ').trim()} de tots els ${weekdays}`,
  nthWorkingDay: (n) => nth(n, 'dia feiner'),
  mondayToFriday: ' (de dilluns a divendres)',
  dayOfMonth: (day) => (day > 0 ? `el dia ${day}` : nth(day, 'dia')),
  daysOfMonth: (first, last) => `${del(first)} ${al(last)}`,
  betweenDays: (first, last) => `entre ${el(first)} i ${el(last)}`,
  dayOfYear: (day) => (day > 0 ? `el dia ${day}` : nth(day, 'dia')),
  daysOfYear: (first, last) => `del dia ${first} ${al(last)}`,
  ofWeek: (week) => `de ${week > 0 ? `la setmana ${week}` : nthFeminine(week, 'setmana')}`,
  date: (on) => el(date(on)),
  ofTheMonth: ' del mes',
  ofEveryMonth: ' de cada mes',
  everyYear: ' de cada any',
  ofEveryYear: ' de cada any',
  ofTheYear: ' de l’any',
  ofMonths: (months, join) => ` ${join(months.map((month) => de(MONTHS[month - 1]!)))}`,
  inMonths: (months, join) => ` ${join(months.map((month) => de(MONTHS[month - 1]!)))}`,
  thatFalls: (days) => ` que caigui ${days}`,
  thatFall: (days) => ` que caiguin ${days}`,
  onlyWeekdays: (weekdays) => `, només els ${weekdays}`,
  onlyDays: (days) => `, només ${days}`,
  onlyInMonths: (months, join) => `, només ${join(months.map((month) => al(MONTHS[month - 1]!)))}`,
  onlyPositions: (positions, counted, unit, join) =>
    `, només ${join(positions.map((n) => nthFeminine(n, COUNTED[counted])))} de cada ${UNITS[unit][0]}`,
  atTimes: (times, join) =>
    ` ${join(times.map(({ hour, text }) => `${hour === 1 ? 'a la' : 'a les'} ${text}`))}`,
  timesADay: (n) => `, ${n} vegades al dia`,
  once: (on) => el(date(on)),
  until: (last) => `fins ${al(date(last))}`,
  times: (n) => `, ${n} vegades`,
  moreDates: (n) => (n === 1 ? 'i una data més' : `i ${n} dates més`),
  exceptDates: (n) => (n === 1 ? ', excepte una data' : `, excepte ${n} dates`),
}
