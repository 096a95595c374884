import { TableHead } from '../../parts/listing.tsx'
import { fill, number, type Words, w } from '../../words/words.ts'
import { type Counted, countOf, dateText, type Entry, OUTCOMES, type Report, whyText } from './data.ts'

/** Troubles that are shown; of the others the number. */
const SHOWN = 50

const titleOf = ({ dry_run, from }: Report) => fill(dry_run ? w.import_plan : w.import_done, { from })

const Counts = ({ report }: { report: Report }) => {
  const outcomes = OUTCOMES.filter((outcome) => countOf(report, outcome) > 0)
  return (
    <table class="records">
      <TableHead
        of={w.import_kind}
        names={[w.import_kind, ...outcomes.map((outcome) => w[`import_${outcome}`])]}
      />
      <tbody>
        {Object.entries(report.counts).map(([kind, own]) => (
          <tr key={kind}>
            <th scope="row">{w[`import_${kind as Counted}`]}</th>
            {outcomes.map((outcome) => (
              <td key={outcome}>
                {number(own[outcome])} <span class="soft narrow">{w[`import_${outcome}`]}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const First = ({ entries }: { entries: Entry[] }) => (
  <>
    <h3>{w.import_first}</h3>
    <ul class="imported">
      {entries.map(({ line, name, start_date, outcome }) => (
        <li key={line}>
          <strong>{name}</strong>{' '}
          {start_date !== undefined && <span class="soft">{dateText(start_date)}</span>}{' '}
          <span class={outcome === 'refused' ? 'badge bad' : 'badge'}>{w[`import_one_${outcome}`]}</span>
        </li>
      ))}
    </ul>
  </>
)

/** What properties and components hold that have no place here. */
const PARTS: Record<string, keyof Words> = {
  ...{ ATTACH: 'import_files', ATTENDEE: 'import_guests', GEO: 'import_places' },
  ...{ PRIORITY: 'import_priorities', TRANSP: 'import_busy', VALARM: 'import_alarms' },
}
const partOf = (name: string) => (PARTS[name] === undefined ? name : `${w[PARTS[name]]} (${name})`)
const namesOf = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${partOf(name)} ${number(count)}`)
    .join(', ')

/** What comes from a file: numbers, the first events, and what can not be taken and why. */
export const Came = ({ report }: { report: Report }) => (
  <section class="group came" aria-label={titleOf(report)}>
    <h2>{titleOf(report)}</h2>
    <Counts report={report} />
    {report.troubles_total > 0 && (
      <div class="notice bad">
        <p>{fill(w.import_troubles, { count: number(report.troubles_total) })}</p>
        <ul>
          {report.troubles.slice(0, SHOWN).map((entry) => (
            <li key={`${entry.line} ${entry.name}`}>
              {fill(w.import_line_of, { line: entry.line, name: entry.name })}: {whyText(entry)}
              {entry.outcome === 'present' && entry.kind !== 'line' && (
                <span class="badge">{w.import_one_present}</span>
              )}
            </li>
          ))}
          {report.troubles_total > SHOWN && (
            <li>{fill(w.import_more, { count: number(report.troubles_total - SHOWN) })}</li>
          )}
        </ul>
        {countOf(report, 'refused') > 0 && <p>{w.import_again}</p>}
      </div>
    )}
    {report.left_out && <p class="soft">{fill(w.import_left_out, { names: namesOf(report.left_out) })}</p>}
    {report.first.length > 0 && <First entries={report.first} />}
  </section>
)
