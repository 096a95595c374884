import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Failure, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { Confirm, Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { failureText } from '../../parts/notice.tsx'
import { readCoordinates } from '../../rules/coordinates.ts'
import type { Ref } from '../../rules/event.ts'
import { fill, w } from '../../words/words.ts'

type Props = { name: string; language: string; made: (ref: Ref) => void; close: () => void }

/** Sends a new record, and keeps what is wrong with it. */
function useMaking(kind: 'venue' | 'organizer', { language, made, close }: Props) {
  const [failure, setFailure] = useState<Failure>()
  const [errors, setErrors] = useState<Record<string, string>>({})
  /** What is said of a field holds until it is changed. */
  const changed = (name: string) => setErrors(({ [name]: _, ...others }) => others)
  const make = async (body: Record<string, unknown>) => {
    try {
      const { body: record } = await send<{ id: number } & Record<string, string>>('POST', `/${kind}s`, {
        body: { ...body, status: 'publish', i18n_language: language },
      })
      made({ id: record.id, name: record[kind]! })
      close()
    } catch (error) {
      setFailure(error as Failure)
      setErrors((error as Failure).params)
    }
  }
  return { failure, make, errors, changed }
}

type Shown = {
  title: string
  failure: Failure | undefined
  /** Whether more than the name was typed, which closing it would lose. */
  isTyped: boolean
  close: () => void
  onMake: () => void
  children: ComponentChildren
}

/** What asks for a record that is made on the spot. */
export function MakeFrame({ title, failure, isTyped, close: end, onMake, children }: Shown) {
  const [asks, setAsks] = useState(false)
  useUnsaved(isTyped)
  const close = () => (isTyped ? setAsks(true) : end())
  return (
    <Dialog title={title} onClose={close}>
      {/* no form of its own, because it stands inside the form of the event */}
      <div
        class="make"
        role="group"
        aria-label={title}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
          event.preventDefault()
          onMake()
        }}
      >
        {children}
        {failure && (
          <p class="error" role="alert">
            {failureText(failure)}
          </p>
        )}
        <div class="buttons">
          <button type="button" onClick={onMake}>
            {w.create}
          </button>
          <button type="button" class="plain" onClick={close}>
            {w.cancel}
          </button>
        </div>
      </div>
      {asks && (
        <Confirm
          title={w.leave_title}
          text={w.leave_lost}
          yes={w.leave}
          onYes={end}
          onNo={() => setAsks(false)}
        />
      )}
    </Dialog>
  )
}

/** A venue made on the spot. */
export function MakeVenue(props: Props) {
  const [venue, setVenue] = useState({ venue: props.name, address: '', city: '', country: '' })
  const [map, setMap] = useState('')
  const { failure, make, errors, changed } = useMaking('venue', props)
  const found = readCoordinates(map)
  const change = (name: keyof typeof venue) => (value: string) => {
    setVenue({ ...venue, [name]: value })
    changed(name)
  }
  return (
    <MakeFrame
      title={w.new_venue}
      failure={failure}
      isTyped={[venue.address, venue.city, venue.country, map].some(Boolean)}
      close={props.close}
      onMake={() => make({ ...venue, ...(found && { geo_lat: found.lat, geo_lng: found.lng }) })}
    >
      <TextField label={w.name} value={venue.venue} error={errors.venue} onValue={change('venue')} />
      <TextField label={w.address} value={venue.address} error={errors.address} onValue={change('address')} />
      <TextField label={w.city} value={venue.city} error={errors.city} onValue={change('city')} />
      <TextField label={w.country} value={venue.country} error={errors.country} onValue={change('country')} />
      <TextField
        label={w.map_link}
        hint={found ? fill(w.found_at, found) : w.map_hint}
        value={map}
        error={map !== '' && !found ? w.no_coordinates : undefined}
        onValue={setMap}
      />
    </MakeFrame>
  )
}

/** An organizer made on the spot. */
export function MakeOrganizer(props: Props) {
  const [organizer, setOrganizer] = useState({ organizer: props.name, website: '', email: '', phone: '' })
  const { failure, make, errors, changed } = useMaking('organizer', props)
  const change = (name: keyof typeof organizer) => (value: string) => {
    setOrganizer({ ...organizer, [name]: value })
    changed(name)
  }
  return (
    <MakeFrame
      title={w.new_organizer}
      failure={failure}
      isTyped={[organizer.website, organizer.email, organizer.phone].some(Boolean)}
      close={props.close}
      onMake={() => make(organizer)}
    >
      <TextField
        label={w.name}
        value={organizer.organizer}
        error={errors.organizer}
        onValue={change('organizer')}
      />
      <TextField
        label={w.website}
        type="url"
        placeholder="https://"
        value={organizer.website}
        error={errors.website}
        onValue={change('website')}
      />
      <TextField
        label={w.email}
        type="email"
        value={organizer.email}
        error={errors.email}
        onValue={change('email')}
      />
      <TextField
        label={w.phone}
        type="tel"
        value={organizer.phone}
        error={errors.phone}
        onValue={change('phone')}
      />
    </MakeFrame>
  )
}
