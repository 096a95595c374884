import { useRef, useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { CheckField, Field, SelectField } from '../../parts/field.tsx'
import { Pager } from '../../parts/listing.tsx'
import { Failed, failureText, Notice } from '../../parts/notice.tsx'
import type { Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { fill, number, w } from '../../words/words.ts'
import {
  countOf,
  type Options,
  type Progress,
  type Report,
  type Run,
  stayText,
  take,
  takeBack,
  type Undone,
  type Way,
} from './data.ts'
import { Came } from './report.tsx'

/** What the undoing of an import took back, and what stays. */
function Back({ undone: { counts, stayed } }: { undone: Undone }) {
  const all = Object.values(counts)
  const sum = (what: 'trashed' | 'stayed') => number(all.reduce((total, own) => total + own[what], 0))
  return (
    <div class="notice" role="status">
      <p>{fill(w.import_back, { count: sum('trashed'), stayed: sum('stayed') })}</p>
      {stayed.length > 0 && (
        <>
          <p>{w.import_stays}</p>
          <ul>
            {stayed.map(({ kind, id, name, why }) => (
              <li key={`${kind} ${id}`}>
                {kind === 'event' ? <a href={`#/events/${id}`}>{name}</a> : name}: {stayText(why)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** An import that was made before, with the way back. */
const Earlier = ({ run, undo }: { run: Run; undo: (run: Run) => void }) => {
  const { from, began_utc, ended_utc, counts } = run
  const numbers = Object.fromEntries(
    ['created', 'changed', 'refused', 'undone'].map((name) => [name, number(counts[name] ?? 0)]),
  )
  return (
    <li>
      <div>
        <strong>{from}</strong> <span class="soft">{instantText(began_utc)}</span>
        <p class="hint">
          {fill(w.import_counts, numbers)}
          {counts.undone !== undefined && `, ${fill(w.import_undone, numbers)}`}
          {ended_utc === undefined && ` (${w.import_unended})`}
        </p>
      </div>
      {(counts.created ?? 0) > 0 && counts.undone === undefined && (
        <button
          type="button"
          class="plain"
          aria-label={fill(w.import_undo_of, { from })}
          onClick={() => undo(run)}
        >
          {w.import_undo}
        </button>
      )}
    </li>
  )
}

/** Work that takes a while: what it is, how far it has come, and a way to end it. */
type Work = { label: string; progress?: Progress; end: () => void }

/** How far work has come, once it tells. */
const Running = ({ work: { label, progress, end } }: { work: Work }) =>
  progress && (
    <div class="progress">
      <progress aria-label={label} value={progress.done} max={progress.total} />
      <span>{fill(w.import_progress, { done: number(progress.done), total: number(progress.total) })}</span>
      <button type="button" class="plain" onClick={end}>
        {w.import_stop}
      </button>
    </div>
  )

/** Milliseconds in which the service ends an import whose request has ended. */
const ENDS = 1_000

/** Imports a file of events: shows what would come, imports it, and takes imports back. */
export function ImportPage({ place }: { place: Place }) {
  const page = place.query.page ?? 1
  const { value, failure, again } = useLoaded(`imports ${page}`, () =>
    list<Run>('/imports', 'imports', { page, per_page: 20 }),
  )
  const [file, setFile] = useState<File>()
  const [options, setOptions] = useState<Options>({ status: 'publish', media: false })
  const [report, setReport] = useState<Report>()
  const [undone, setUndone] = useState<Undone>()
  const [problem, setProblem] = useState<string>()
  const [running, setRunning] = useState<Work>()
  const [stopped, setStopped] = useState<Progress>()
  const [asked, setAsked] = useState<{ id: number; from: string }>()
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const status = useRef<HTMLParagraphElement>(null)

  /** Does something that takes a while; what was told before is taken away. */
  async function work(label: string, what: (way: Way) => Promise<void>, stop = () => {}) {
    const ending = new AbortController()
    let now: Work = { label, end: () => ending.abort() }
    const hear = (done: number, total: number) => {
      now = { ...now, progress: { done, total } }
      setRunning(now)
    }
    setRunning(now)
    setProblem(undefined)
    setUndone(undefined)
    setStopped(undefined)
    // what was pressed goes away, and how far it is stands here
    status.current!.focus()
    await what({ progress: hear, signal: ending.signal }).catch((error) => {
      if (!ending.signal.aborted) return setProblem(failureText(error))
      setStopped(now.progress)
      stop()
    })
    setRunning(undefined)
  }
  const look = (chosen: File | undefined) => {
    setFile(chosen)
    setReport(undefined)
    if (chosen)
      work(
        w.import_reading,
        async (way) => setReport(await take(chosen, true, options, way)),
        () => start(),
      )
  }
  const run = () =>
    work(
      w.import_running,
      async (way) => {
        setReport(await take(file!, false, options, way))
        again()
      },
      () => setTimeout(again, ENDS),
    )
  const undo = (id: number) => {
    setAsked(undefined)
    work(w.import_running, async () => {
      setUndone(await takeBack(id))
      setReport(undefined)
      again()
    })
  }
  const start = () => {
    input.current!.value = ''
    look(undefined)
    input.current!.focus()
  }
  const dropping = {
    onDragOver(event: DragEvent) {
      event.preventDefault()
      setOver(running === undefined)
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault()
      setOver(false)
      if (!running) look(event.dataTransfer?.files[0])
    },
  }
  const isNew = report !== undefined && countOf(report, 'added', 'updated') > 0
  const isPlan = report?.dry_run === true

  return (
    <>
      <div class="head">
        <h1>{w.import}</h1>
        <a class="button plain" href="#/events">
          {w.events}
        </a>
      </div>
      <section class="group bring" aria-label={w.import}>
        <p>{w.import_hint}</p>
        <div class={over ? 'drop over' : 'drop'} {...dropping}>
          <Field label={w.import_file} hint={w.import_drop}>
            {(given) => (
              <input
                {...given}
                ref={input}
                type="file"
                accept=".ics,.csv,text/calendar,text/csv"
                disabled={running !== undefined}
                onChange={({ currentTarget }) => look(currentTarget.files?.[0])}
              />
            )}
          </Field>
        </div>
        <SelectField
          label={w.import_status}
          value={options.status}
          options={[
            ['publish', w.status_publish],
            ['draft', w.status_draft],
          ]}
          onValue={(status) => setOptions({ ...options, status })}
        />
        <CheckField
          label={w.import_pictures}
          checked={options.media}
          onValue={(media) => setOptions({ ...options, media })}
        />
      </section>
      <p class="hint" role="status" ref={status} tabIndex={-1}>
        {running?.label}
      </p>
      {running && <Running work={running} />}
      {stopped && report && (
        <Notice>
          {fill(w.import_stopped, { done: number(stopped.done), total: number(stopped.total) })}
        </Notice>
      )}
      {problem !== undefined && <Notice bad>{problem}</Notice>}
      {undone && <Back undone={undone} />}
      {report && !running && <Came report={report} />}
      {report && !running && (
        <div class="buttons">
          {isPlan && isNew && (
            <button type="button" class="primary" onClick={run}>
              {w.import_now}
            </button>
          )}
          {isPlan && !isNew && (
            <p>{countOf(report, 'unchanged', 'present') > 0 ? w.import_same : w.import_nothing}</p>
          )}
          {report.id !== undefined && countOf(report, 'added') > 0 && (
            <button type="button" class="plain" onClick={() => undo(report.id!)}>
              {w.import_undo}
            </button>
          )}
          <button type="button" class="plain" onClick={start}>
            {w.import_other}
          </button>
        </div>
      )}
      <section aria-label={w.imports}>
        <h2>{w.imports}</h2>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && <p class="hint">{w.imports_none}</p>}
        <ul class="imports">
          {value?.rows.map((one) => (
            <Earlier key={one.id} run={one} undo={setAsked} />
          ))}
        </ul>
        {value && value.rows.length > 0 && <Pager place={place} pages={value.pages} total={value.total} />}
      </section>
      {asked && (
        <Confirm
          title={w.import_undo_title}
          text={fill(w.import_undo_text, { from: asked.from })}
          yes={w.import_undo}
          onYes={() => undo(asked.id)}
          onNo={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
