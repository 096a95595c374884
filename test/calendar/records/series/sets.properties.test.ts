import t from 'tap'
import { openDice } from '../../../../bench/seed/random.ts'
import { must } from '../../../support/answers.ts'
import { type Api, build } from '../../../support/app.ts'
import { WEEKLY } from '../../../support/series.ts'

const LANGUAGES = ['en', 'ca', 'es']
const SEQUENCES = 40
const EDITS = 8

type Row = {
  id: number
  language: string
  set: number | null
  series: number
  date: string
  group: number | null
}

/** The dates of all series that are not in the trash. */
const rowsOf = ({ app }: Pick<Api, 'app'>): Row[] =>
  app.store.db
    .rows<[number, string, number | null, number, string, number | null]>(
      `select p.id, p.language, p.translation_group, o.series_id, o.recurrence_id, s.translation_group
       from posts p join occurrences o on o.post_id = p.id join posts s on s.id = o.series_id where p.status <> 'trash'`,
    )
    .map(([id, language, set, series, date, group]) => ({ id, language, set, series, date, group }))

/** What is wrong with the sets of dates. `whole` says whether each write was to all translations. */
function faultOf(rows: Row[], whole: boolean): string | undefined {
  for (const one of rows)
    for (const other of rows) {
      if (one.id >= other.id) continue
      const isSet = one.set !== null && one.set === other.set
      const belongs = one.group !== null && one.group === other.group && one.date === other.date
      if (isSet && one.language === other.language) return `${one.id} and ${other.id} have one language`
      if (isSet && !belongs) return `${one.id} and ${other.id} are no translations`
      if (whole && belongs && one.series !== other.series && !isSet)
        return `${one.id} and ${other.id} are no set`
    }
  return undefined
}

/** A random edit, and its path. */
function editOf(
  rows: Row[],
  dice: ReturnType<typeof openDice>,
): [method: 'patch' | 'delete', path: string, body?: object] {
  const { id, series, date } = dice.of(rows)
  const range = dice.of(['this', 'all', 'following'])
  const hour = dice.of([17, 18, 19])
  const times = {
    start_date: `${date.slice(0, 10)} ${hour}:00:00`,
    end_date: `${date.slice(0, 10)} ${hour + 1}:00:00`,
  }
  const rule = { rrule: `FREQ=WEEKLY;COUNT=${dice.of([2, 3, 4])}` }
  return dice.of<['patch' | 'delete', string, object?]>([
    ['patch', `/events/${id}?apply_to=${range}`, times],
    ['patch', `/events/${id}?apply_to=${range}`, { title: `At ${hour}`, cost: String(hour) }],
    ['patch', `/series/${series}?i=0`, { recurrence: rule }],
    ['patch', `/series/${series}?i=0`, { cost: String(hour) }],
    ['delete', `/events/${id}?apply_to=${dice.of(['this', 'following'])}`],
  ])
}

for (const whole of [true, false])
  t.test(
    `sets of dates are right after random edits ${whole ? 'of all' : 'of some'} translations`,
    async (t) => {
      const api = await build(t)
      let done = 0
      for (let seed = 1; seed <= SEQUENCES; seed++) {
        const dice = openDice(seed)
        const client = [api.editor, api.administrator][seed % 2]!
        const en = (await must(client.post('/events', WEEKLY))).series as number
        for (const i18n_language of LANGUAGES.slice(1))
          await must(client.post('/series', { title: i18n_language, i18n_language, translation_of: en }))
        const log: string[] = []
        for (let at = 0; at < EDITS; at++) {
          const rows = rowsOf(api)
          if (rows.length === 0) break
          const [method, path, body] = editOf(rows, dice)
          const all = whole || dice.of([true, false]) ? '&translations=all' : ''
          const { status } = await client[method](path + all, body)
          log.push(`${status} ${method} ${path}${all} ${JSON.stringify(body)}`)
          if (status === 200) done++
          if (status >= 500) t.fail(`seed ${seed}: ${log.join('\n')}`)
          const fault = faultOf(rowsOf(api), whole)
          if (fault) t.fail(`seed ${seed}: ${fault}\n${log.join('\n')}`)
          if (fault) break
        }
        for (const { id } of (await must(client.get('/series?status=publish,trash'))).series)
          await client.delete(`/series/${id}?force=true`)
      }
      t.ok(done > SEQUENCES * 4, `${done} edits were done`)
    },
  )
