import { pathOf } from '../../api/site.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Prose } from '../../parts/prose.tsx'
import type { EventForm } from '../../rules/event.ts'
import { whenText } from '../../words/dates.ts'
import { w } from '../../words/words.ts'

const names = (refs: { name: string }[]) => refs.map(({ name }) => name).join(', ')

/** The event as visitors would read it, with what is not saved yet. */
export function Preview({ form, close }: { form: EventForm; close: () => void }) {
  const wall = (day: string, time: string) => `${day} ${form.all_day || time === '' ? '00:00' : time}:00`
  const when = whenText({
    start_date: wall(form.start_day, form.start_time),
    end_date: wall(form.end_day, form.end_time),
    all_day: form.all_day,
  })
  const facts = [
    [w.when, when],
    [w.venue, names(form.venue)],
    [w.organizers, names(form.organizer)],
    [w.cost, form.cost],
  ].filter(([, text]) => text)
  return (
    <Dialog title={w.preview} onClose={close} wide>
      <article class="preview" lang={form.language}>
        {form.categories.length > 0 && <p class="kicker">{names(form.categories)}</p>}
        <h1>{form.title || w.untitled}</h1>
        <dl>
          {facts.map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {form.image && <img src={pathOf(form.image.url)} alt="" />}
        <Prose html={form.description} />
      </article>
    </Dialog>
  )
}
