import type { Day, RuleWords, Unit } from './words.ts'

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
const FROM_END = ' empezando por el final'

/** `el segundo viernes`. */
function nth(n: number, noun: string): string {
  if (n > 0) return `el ${ORDINALS[n - 1] ?? `${n}.º`} ${noun}`
  return -n <= 3 ? `el ${LAST[-n - 1]} ${noun}` : `el ${ORDINALS[-n - 1] ?? `${-n}.º`} ${noun}${FROM_END}`
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
  everyDayFrom: (first, last) => `cada día de ${first} a ${last}`,
  allWeekdays: (weekdays, join) => `todos los ${join(weekdays.map((day) => MANY[day]!))}`,
  onWeekdays: (weekdays, join) => `los ${join(weekdays.map((day) => MANY[day]!))}`,
  fromTo: (first, last) => `de ${first} a ${last}`,
  theWeekdays: (weekdays, join) => join(weekdays.map((day) => `el ${WEEKDAYS[day]}`)),
  beforeDays: ', ',
  on: '',
  nthWeekday: nth,
  nthOfAll: (n, weekdays) => `${alone(n)} de todos los ${weekdays}`,
  nthWorkingDay: (n) => nth(n, 'día laborable'),
  mondayToFriday: ' (de lunes a viernes)',
  dayOfMonth: (day) => (day > 0 ? `el día ${day}` : nth(day, 'día')),
  daysOfMonth: (first, last) => `del ${first} al ${last}`,
  dayOfYear: (day) => (day > 0 ? `el día ${day}` : nth(day, 'día')),
  daysOfYear: (first, last) => `los días ${first} a ${last}`,
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
  onlyWeekdays: (weekdays) => `, solo los ${weekdays}`,
  onlyDays: (days) => `, solo ${days}`,
  onlyInMonths: (months, join) => `, solo en ${join(named(months))}`,
  onlyDates: (positions, unit, join) =>
    `, solo ${join(positions.map((n) => nthFeminine(n, 'fecha')))} de cada ${UNITS[unit][0]}`,
  atTimes: (times, join) =>
    ` ${join(times.map(({ hour, text }) => `${hour === 1 ? 'a la' : 'a las'} ${text}`))}`,
  timesADay: (n) => `, ${n} veces al día`,
  once: (on) => `el ${date(on)}`,
  until: (last) => `hasta el ${date(last)}`,
  times: (n) => `, ${n} veces`,
  moreDates: (n) => (n === 1 ? 'y una fecha más' : `y ${n} fechas más`),
  exceptDates: (n) => (n === 1 ? ', excepto una fecha' : `, excepto ${n} fechas`),
}
