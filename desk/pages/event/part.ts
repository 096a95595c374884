import type { Editing } from '../../api/editing.ts'
import type { EventForm, EventRecord } from '../../rules/event.ts'

/** What the parts of the form of an event share. */
export type Part = Editing<EventRecord, EventForm>
