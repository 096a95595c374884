import { useState } from 'preact/hooks'
import { read } from '../../api/client.ts'
import { isCurrent, type Settings, saveSettings, startAnew } from '../../api/settings.ts'
import { refresh, SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField, TextField } from '../../parts/field.tsx'
import { failureText, tell, tellFailure } from '../../parts/notice.tsx'
import { COUNTRIES, countryOf, placeOf } from '../../rules/countries.ts'
import { language, languageName, locale, w } from '../../words/words.ts'
import { ColourField } from './colour.tsx'
import { type Logo, LogoField } from './logo.tsx'
import { Look, logoPath } from './look.tsx'
import { CurrencyField, zoneText } from './stored.tsx'

/** Asks an administrator once what the calendar is called, how it looks and where it is, with the place of the device as a proposal. */
export function FirstSettings() {
  const { value } = useLoaded('first settings', () => read<Settings>('/settings'))
  const [isOpen, setOpen] = useState(true)
  const close = () => setOpen(false)
  if (!isOpen || !value || value.confirmed || value.held) return null
  return <Question settings={value} close={close} />
}

/** The countries by their names in the language of the desk. */
function countryOptions() {
  const names = new Intl.DisplayNames([locale()], { type: 'region' })
  return COUNTRIES.map(({ code }) => [code, names.of(code) ?? code] as const).sort(([, one], [, other]) =>
    one.localeCompare(other, locale()),
  )
}

/** What the form begins with: what the settings say, at the place of the device. */
function toForm({ name, color, logo, logo_url, languages, ...stored }: Settings) {
  const place = placeOf(Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.languages)
  return {
    ...{ name, color, country: place?.code ?? '' },
    logo: (logo === undefined ? undefined : { id: logo, url: logo_url! }) as Logo,
    zone: place?.zone ?? stored.timezone,
    currency: place?.currency ?? stored.currency,
    first: languages.includes(language.get()) ? language.get() : languages[0]!,
  }
}

function Question({ settings, close }: { settings: Settings; close: () => void }) {
  const [form, setForm] = useState(() => toForm(settings))
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const change = (values: Partial<typeof form>) => setForm((before) => ({ ...before, ...values }))
  const isOpen = (name: string) => !settings.locked.includes(name)
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblems({})
    const { name, color, logo, zone, currency, first } = form
    const looks = { name, color, logo: logo?.id ?? null }
    try {
      const { body } = await saveSettings({
        ...Object.fromEntries(Object.entries(looks).filter(([member]) => isOpen(member))),
        ...{ timezone: zone, currency, confirmed: true },
        languages: [first, ...settings.languages.filter((code) => code !== first)],
      })
      SITE.asks = false
      if (isCurrent(body)) await refresh()
      else {
        tell({ text: w.starts_anew })
        if (!(await startAnew(body))) tell({ text: w.start_needed })
      }
      close()
    } catch (failure) {
      const params = (failure as { params?: Record<string, string> }).params ?? {}
      setProblems(params)
      if (Object.keys(params).length === 0) tellFailure(failureText(failure))
    }
    setBusy(false)
  }
  const zones = countryOf(form.country)?.zones ?? []
  return (
    <Dialog title={w.first_title} onClose={close} wide>
      <p>{w.first_text}</p>
      <form class="first" onSubmit={save} noValidate>
        <div class="stack">
          {isOpen('name') && (
            <TextField
              label={w.site_name}
              value={form.name}
              error={problems.name}
              onValue={(name) => change({ name })}
            />
          )}
          <SelectField
            label={w.where_it_is}
            hint={w.where_it_is_hint}
            value={form.country}
            options={[...(form.country === '' ? [['', '–'] as const] : []), ...countryOptions()]}
            onValue={(code) => {
              const { zones, currency } = countryOf(code)!
              change({ country: code, zone: zones[0]!, currency })
            }}
          />
          <div class="row">
            <SelectField
              label={w.timezone}
              value={form.zone}
              error={problems.timezone}
              options={(zones.includes(form.zone) ? zones : [form.zone, ...zones]).map((zone) => [
                zone,
                zoneText(zone),
              ])}
              onValue={(zone) => change({ zone })}
            />
            <CurrencyField
              value={form.currency}
              error={problems.currency}
              onValue={(currency) => change({ currency })}
            />
          </div>
          <SelectField
            label={w.default_language}
            value={form.first}
            error={problems.languages}
            options={settings.languages.map((code) => [code, languageName(code)])}
            onValue={(first) => change({ first })}
          />
          {isOpen('color') && (
            <ColourField value={form.color} error={problems.color} onValue={(color) => change({ color })} />
          )}
          {isOpen('logo') && (
            <LogoField
              value={form.logo}
              error={problems.logo}
              onValue={(logo) => change({ logo })}
              hasLibrary={false}
            />
          )}
        </div>
        <Look name={form.name} color={form.color} logo={logoPath(form.logo)} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy}>
            {w.save}
          </button>
          <button type="button" class="plain" onClick={close}>
            {w.later}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
