import { useState } from 'preact/hooks'
import { read } from '../../api/client.ts'
import { isCurrent, type Settings, saveSettings, startAnew } from '../../api/settings.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { failureText, tell, tellFailure } from '../../parts/notice.tsx'
import { currencyOf } from '../../rules/zones.ts'
import { language, languageName, w } from '../../words/words.ts'
import { CurrencyField, ZoneField } from './stored.tsx'

/** Asks an administrator once for time zone, currency and language, with those of the browser as a proposal. */
export function FirstSettings() {
  const { value } = useLoaded('first settings', () => read<Settings>('/settings'))
  const [isOpen, setOpen] = useState(true)
  const close = () => setOpen(false)
  if (!isOpen || !value || value.confirmed || value.held) return null
  return <Question settings={value} close={close} />
}

function Question({ settings, close }: { settings: Settings; close: () => void }) {
  const [zone, setZone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [currency, setCurrency] = useState(currencyOf(navigator.languages) ?? settings.currency)
  const { languages } = settings
  const [first, setFirst] = useState(languages.includes(language.get()) ? language.get() : languages[0]!)
  const [problems, setProblems] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setProblems({})
    try {
      const ordered = [first, ...languages.filter((code) => code !== first)]
      const { body } = await saveSettings({
        ...{ timezone: zone, currency, languages: ordered, confirmed: true },
      })
      SITE.asks = false
      if (!isCurrent(body)) {
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
  return (
    <Dialog title={w.first_title} onClose={close}>
      <form onSubmit={save} noValidate>
        <p>{w.first_text}</p>
        <ZoneField value={zone} onValue={setZone} error={problems.timezone} />
        <CurrencyField value={currency} onValue={setCurrency} error={problems.currency} />
        <SelectField
          label={w.default_language}
          value={first}
          error={problems.languages}
          options={languages.map((code) => [code, languageName(code)])}
          onValue={setFirst}
        />
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
