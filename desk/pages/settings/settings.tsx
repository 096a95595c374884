import { useState } from 'preact/hooks'
import { VARIABLES } from '../../../schemas/site-variables.ts'
import { type Failure, send } from '../../api/client.ts'
import { useUnsaved } from '../../api/leaving.ts'
import { isCurrent, type Settings, saveSettings, startAnew } from '../../api/settings.ts'
import { refresh } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { TextField } from '../../parts/field.tsx'
import { Failed, failureText, Notice, tell } from '../../parts/notice.tsx'
import { changed } from '../../rules/compare.ts'
import { fill, w } from '../../words/words.ts'
import { ColourField } from './colour.tsx'
import { LinksField } from './links.tsx'
import { type Logo, LogoField } from './logo.tsx'
import { Look, logoPath } from './look.tsx'
import { CurrencyField, LanguagesField, languagesIn, ZoneField } from './stored.tsx'

/** The settings as they are edited. */
const toForm = ({ name, color, logo, logo_url, links, timezone, currency, languages }: Settings) => ({
  ...{ name, color, links, timezone, currency, languages: languages.join(', ') },
  logo: (logo === undefined ? undefined : { id: logo, url: logo_url! }) as Logo,
})
type Form = ReturnType<typeof toForm>

/** The members of a body for what was changed. */
const toBody = (form: Form, names: (keyof Form)[]) =>
  Object.fromEntries(
    names.map((name) => {
      if (name === 'logo') return [name, form.logo?.id ?? null]
      if (name === 'languages') return [name, languagesIn(form.languages)]
      return [name, form[name]]
    }),
  )

type Loaded = { settings: Settings; etag: string | undefined }
const load = async (): Promise<Loaded> => {
  const { body, etag } = await send<Settings>('GET', '/settings')
  return { settings: body, etag }
}

/** The settings of the site, for administrators. */
export function SettingsPage() {
  const { value, failure, again } = useLoaded('settings', load)
  if (failure) return <Failed failure={failure} again={again} />
  if (!value) return <p class="loading">{w.loading}</p>
  return <Editor key={value.etag} {...value} again={again} />
}

function Editor({ settings: first, etag: tag, again }: Loaded & { again: () => void }) {
  const [{ settings, etag }, setLoaded] = useState({ settings: first, etag: tag })
  const base = toForm(settings)
  const [form, setForm] = useState(base)
  const [failure, setFailure] = useState<Failure>()
  const [busy, setBusy] = useState(false)
  const change = (values: Partial<Form>) => setForm((before) => ({ ...before, ...values }))
  const names = changed(base, form)
  useUnsaved(names.length > 0)
  const errors = failure?.params ?? {}
  const lockOf = (name: keyof Form) =>
    settings.locked.includes(name) ? fill(w.set_by_environment, { variable: VARIABLES[name] }) : undefined

  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      const { body, etag: saved } = await saveSettings(toBody(form, names), etag)
      setLoaded({ settings: body, etag: saved })
      setForm(toForm(body))
      if (isCurrent(body)) {
        tell({ text: w.saved })
        await refresh()
      } else {
        tell({ text: w.starts_anew })
        if (!(await startAnew(body))) tell({ text: w.start_needed })
      }
    } catch (error) {
      setFailure(error as Failure)
    }
    setBusy(false)
  }
  const stored = (name: 'timezone' | 'currency' | 'languages') => ({
    value: form[name],
    error: errors[name],
    hint: lockOf(name),
    disabled: settings.held || lockOf(name) !== undefined,
    onValue: (value: string) => change({ [name]: value }),
  })
  return (
    <form onSubmit={save} noValidate>
      <div class="head">
        <h1>{w.settings}</h1>
        {names.length > 0 && <span class="badge unsaved">{w.unsaved}</span>}
      </div>
      <div class="stack beside">
        {failure && (
          <Notice bad>
            <p>{Object.keys(errors).length > 0 ? w.see_fields : failureText(failure)}</p>
            {failure.status === 412 && (
              <button type="button" class="plain" onClick={again}>
                {w.try_again}
              </button>
            )}
          </Notice>
        )}
        <section class="card" aria-label={w.how_it_looks}>
          <h2>{w.how_it_looks}</h2>
          <TextField
            label={w.site_name}
            hint={lockOf('name')}
            error={errors.name}
            disabled={lockOf('name') !== undefined}
            value={form.name}
            onValue={(name) => change({ name })}
          />
          <ColourField
            value={form.color}
            locked={lockOf('color')}
            error={errors.color}
            onValue={(color) => change({ color })}
          />
          <LogoField
            value={form.logo}
            locked={lockOf('logo')}
            error={errors.logo}
            onValue={(logo) => change({ logo: logo && { id: logo.id, url: logo.url } })}
          />
          <LinksField
            value={form.links}
            locked={lockOf('links')}
            error={errors.links}
            onValue={(links) => change({ links })}
          />
        </section>
        <Look name={form.name} color={form.color} logo={logoPath(form.logo)} />
        <section class="card" aria-label={w.what_it_counts_in}>
          <h2>{w.what_it_counts_in}</h2>
          {settings.held && <p>{w.held_long}</p>}
          <ZoneField {...stored('timezone')} />
          <CurrencyField {...stored('currency')} />
          <LanguagesField {...stored('languages')} />
        </section>
        <div class="buttons actions">
          <button type="submit" class="primary" disabled={busy || names.length === 0}>
            {w.save}
          </button>
        </div>
      </div>
    </form>
  )
}
