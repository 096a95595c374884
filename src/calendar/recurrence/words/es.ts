import type { Counted, Day, RuleWords, Unit } from './words.ts'

const WEEKDAYS = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado', 'domingo']
const MANY = ['lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábados', 'domingos']
const MONTHS =
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')
const NUMBERS = ['dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve', 'diez']
const UNITS: Record<Unit, [one: string, many: string]> = {
  day: ['día', 'días'],
  week: ['semana', 'semanas'],
  month: ['mes', 'meses'],
  year: ['año', 'años'],
}
const ORDINALS = ['primer', 'segundo', 'tercer', 'cuarto', 'quinto']
const FEMININE = ['primera', 'segunda', 'tercera', 'cuarta', 'quinta']
const LAST = ['último', 'penúltimo', 'antepenúltimo']
const COUNTED: Record<Counted, string> = { date: 'fecha', timeOfDay: 'hora', time: 'vez' }
const FROM_END = ' empezando por el final'

/** As `primer` and `tercer`, numbers that end in 1 or 3 are short before a noun: `13.er lunes`. 11 is `undécimo`. */
const numbered = (n: number) => (n !== 11 && [1, 3].includes(n % 10) ? `${n}.er` : `${n}.º`)

/** `el segundo viernes`. */
function nth(n: number, noun: string): string {
  if (n > 0) return `el ${ORDINALS[n - 1] ?? numbered(n)} ${noun}`
  return -n <= 3 ? `el ${LAST[-n - 1]} ${noun}` : `el ${ORDINALS[-n - 1] ?? numbered(-n)} ${noun}${FROM_END}`
}

/** `la segunda semana`. */
function nthFeminine(n: number, noun: string): string {
  if (n > 0) return `la ${FEMININE[n - 1] ?? `${n}.ª`} ${noun}`
  return -n <= 3
    ? `la ${LAST[-n - 1]!.slice(0, -1)}a ${noun}`
    : `la ${FEMININE[-n - 1] ?? `${-n}.ª`} ${noun}${FROM_END}`
}

/** `el tercero`, without a noun. */
const alone = (n: number) =>
  nth(n, '')
    .replace(/ (primer|tercer)\b/, ' $1o')
    .replace('.er', '.º')
    .replace('  ', ' ')
    .trim()
const date = ({ day, month, year }: Day) =>
  `${day} de ${MONTHS[month - 1]}${year === undefined ? '' : ` de ${year}`}`
const named = (months: number[]) => months.map((month) => MONTHS[month - 1]!)
const every = (unit: Unit, interval: number) =>
  interval === 1 ? `cada ${UNITS[unit][0]}` : `cada ${NUMBERS[interval - 2] ?? interval} ${UNITS[unit][1]}`

/** How Spanish says the parts of a rule. */
export const es: RuleWords = {
  locale: 'es',
  weekdays: WEEKDAYS,
  manyWeekdays: MANY,
  every,
  everyWeekday: (weekdays) => `cada ${weekdays}`,
  allDays: 'todos los días',
  allWeekdays: (weekdays, join) => `todos los ${join(weekdays.map((day) => MANY[day]!))}`,
  onWeekdays: (weekdays, join) => `los ${join(weekdays.map((day) => MANY[day]!))}`,
  fromTo: (first, last) => ` de ${first} a ${last}`,
  theWeekdays: (weekdays, join) => join(weekdays.map((day) => `el ${WEEKDAYS[day]}`)),
  afterEvery: (days) => `, ${days}`,
  on: '',
  nthWeekday: nth,
  nthOfAll: (n, weekdays) => `${alone(n)} de todos los ${weekdays}`,
  nthWorkingDay: (n) => nth(n, 'día laborable'),
  mondayToFriday: ' (de lunes a viernes)',
  dayOfMonth: (day) => (day > 0 ? `el día ${day}` : nth(day, 'día')),
  daysOfMonth: (first, last) => `del ${first} al ${last}`,
  betweenDays: (first, last) => `entre el ${first} y el ${last}`,
  dayOfYear: (day) => (day > 0 ? `el día ${day}` : nth(day, 'día')),
  daysOfYear: (first, last) => `del día ${first} al ${last}`,
  ofWeek: (week) => `de ${week > 0 ? `la semana ${week}` : nthFeminine(week, 'semana')}`,
  date: (on) => `el ${date(on)}`,
  ofTheMonth: ' del mes',
  ofEveryMonth: ' de cada mes',
  everyYear: ' de cada año',
  ofEveryYear: ' de cada año',
  ofTheYear: ' del año',
  ofMonths: (months, join) => ` de ${join(named(months))}`,
  inMonths: (months, join) => ` de ${join(named(months))}`,
  thatFalls: (days) => ` que caiga ${days}`,
  thatFall: (days) => ` que caigan ${days}`,
  onlyWeekdays: (weekdays) => `, solo los ${weekdays}`,
  onlyDays: (days) => `, solo ${days}`,
  onlyInMonths: (months, join) => `, solo en ${join(named(months))}`,
  onlyPositions: (positions, counted, unit, join) =>
    `, solo ${join(positions.map((n) => nthFeminine(n, COUNTED[counted])))} de cada ${UNITS[unit][0]}`,
  atTimes: (times, join) =>
    ` ${join(times.map(({ hour, text }) => `${hour === 1 ? 'a la' : 'a las'} ${text}`))}`,
  timesADay: (n) => `, ${n} veces al día`,
  once: (on) => `el ${date(on)}`,
  until: (last) => `hasta el ${date(last)}`,
  times: (n) => `, ${n} veces`,
  moreDates: (n) => (n === 1 ? 'y una fecha más' : `y ${n} fechas más`),
  exceptDates: (n) => (n === 1 ? ', excepto una fecha' : `, excepto ${n} fechas`),
}
