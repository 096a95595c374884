import { useState } from 'preact/hooks'
import { list } from '../../api/client.ts'
import type { EventEditing } from '../../api/editing.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { type Choice, Picker } from '../../parts/picker.tsx'
import { may } from '../../parts/shell.tsx'
import { type Words, w } from '../../words/words.ts'
import { MakeOrganizer, MakeVenue } from './make.tsx'

type Linked = { id: number; venue?: string; organizer?: string; city?: string; address?: string }

/** Venues or organizers whose texts have what was typed. */
export const searchLinked =
  (kind: 'venue' | 'organizer', language: string) =>
  async (text: string): Promise<Choice[]> => {
    const fields = ['id', kind, 'city', 'address'].map((name) => `${kind}s.${name}`)
    const query = {
      search: text,
      per_page: 8,
      i18n_language: language,
      _fields: ['total', 'total_pages', ...fields].join(),
    }
    const { rows } = await list<Linked>(`/${kind}s`, `${kind}s`, query)
    return rows.map((row) => ({
      id: row.id,
      name: row[kind]!,
      detail: [row.address, row.city].filter(Boolean).join(', '),
    }))
  }

const MODES = ['offline', 'online', 'mixed']

/** Where an event takes place, and who hosts it. */
export function Places({ form, change, errors }: EventEditing) {
  const [making, setMaking] = useState<{ kind: 'venue' | 'organizer'; name: string }>()
  const make = (kind: 'venue' | 'organizer') =>
    may('create records') ? (name: string) => setMaking({ kind, name }) : undefined
  const close = () => setMaking(undefined)
  return (
    <fieldset class="group">
      <legend>{w.where}</legend>
      <div class="row">
        <Picker
          label={w.venue}
          value={form.venue}
          error={errors.venue}
          search={searchLinked('venue', form.language)}
          create={make('venue')}
          onValue={(venue) => change({ venue })}
        />
        <Picker
          label={w.organizers}
          value={form.organizer}
          error={errors.organizer}
          search={searchLinked('organizer', form.language)}
          create={make('organizer')}
          onValue={(organizer) => change({ organizer })}
        />
      </div>
      <div class="row">
        <SelectField
          label={w.attendance}
          value={form.attendance_mode}
          options={MODES.map((mode) => [mode, w[`attendance_${mode}` as keyof Words]])}
          onValue={(attendance_mode) => change({ attendance_mode })}
        />
        {form.attendance_mode !== 'offline' && (
          <TextField
            label={w.virtual_url}
            type="url"
            value={form.virtual_url}
            error={errors.virtual_url}
            placeholder="https://"
            onValue={(virtual_url) => change({ virtual_url })}
          />
        )}
      </div>
      {making?.kind === 'venue' && (
        <MakeVenue
          name={making.name}
          language={form.language}
          close={close}
          made={(venue) => change({ venue: [...form.venue, venue] })}
        />
      )}
      {making?.kind === 'organizer' && (
        <MakeOrganizer
          name={making.name}
          language={form.language}
          close={close}
          made={(one) => change({ organizer: [...form.organizer, one] })}
        />
      )}
    </fieldset>
  )
}
