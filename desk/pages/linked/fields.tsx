import type { Editing } from '../../api/editing.ts'
import { CheckField, TextField } from '../../parts/field.tsx'
import { mapOf, readCoordinates, writeCoordinates } from '../../rules/coordinates.ts'
import type { LinkedForm, LinkedRecord } from '../../rules/linked.ts'
import { w } from '../../words/words.ts'

/** What the parts of the form share. */
export type Part = Editing<LinkedRecord, LinkedForm>

const LINES = ['address', 'zip', 'city', 'province', 'state', 'country'] as const

/** Where a place is: coordinates that are typed, or taken from the link of a map as soon as it is pasted. */
export function Coordinates({ form, change, errors }: Part) {
  const { coordinates } = form
  const found = readCoordinates(coordinates)
  const type = (text: string) => {
    const place = /[a-z]{3}/i.test(text) ? readCoordinates(text) : undefined
    change({ coordinates: place ? writeCoordinates(place) : text })
  }
  return (
    <div class="coordinates">
      <TextField
        label={w.map_link}
        hint={w.map_hint}
        value={coordinates}
        error={errors.coordinates ?? (coordinates.trim() && !found ? w.no_coordinates : undefined)}
        onValue={type}
      />
      {found && (
        <a href={mapOf(found)} target="_blank" rel="noopener noreferrer">
          {w.look_at_map}
        </a>
      )}
    </div>
  )
}

/** The address of a venue, and how its map is shown. */
export const Address = (part: Part) => (
  <fieldset class="group">
    <legend>{w.address_of}</legend>
    <div class="row">
      {LINES.map((name) => (
        <TextField
          key={name}
          label={w[name]}
          value={part.form[name]}
          error={part.errors[name]}
          onValue={(value) => part.change({ [name]: value })}
        />
      ))}
    </div>
    <Coordinates {...part} />
    <div class="flags">
      {(['show_map', 'show_map_link'] as const).map((flag) => (
        <CheckField
          key={flag}
          label={w[flag]}
          checked={part.form[flag]}
          onValue={(checked) => part.change({ [flag]: checked })}
        />
      ))}
    </div>
  </fieldset>
)

/** How to reach whoever runs a venue, or an organizer. */
export const Contact = ({ form, change, errors, email }: Part & { email: boolean }) => (
  <fieldset class="group">
    <legend>{w.contact}</legend>
    <div class="row">
      <TextField
        label={w.website}
        type="url"
        placeholder="https://"
        value={form.website}
        error={errors.website}
        onValue={(website) => change({ website })}
      />
      {email && (
        <TextField
          label={w.email}
          type="email"
          value={form.email}
          error={errors.email}
          onValue={(email) => change({ email })}
        />
      )}
      <TextField
        label={w.phone}
        type="tel"
        value={form.phone}
        error={errors.phone}
        onValue={(phone) => change({ phone })}
      />
    </div>
  </fieldset>
)
