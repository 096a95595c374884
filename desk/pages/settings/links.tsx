import { MOST_LINKS } from '../../../schemas/site-variables.ts'
import type { SiteLink } from '../../api/settings.ts'
import { TextField } from '../../parts/field.tsx'
import { fill, w } from '../../words/words.ts'

type Props = {
  value: SiteLink[]
  onValue: (links: SiteLink[]) => void
  /** Why they can not be changed here. */
  locked?: string | undefined
  error?: string | undefined
}

/** The links at the end of every page. */
export function LinksField({ value, onValue, locked, error }: Props) {
  const change = (at: number, values: Partial<SiteLink>) =>
    onValue(value.map((link, index) => (index === at ? { ...link, ...values } : link)))
  return (
    <fieldset class="group" disabled={locked !== undefined}>
      <legend>{w.site_links}</legend>
      {locked && <p class="hint">{locked}</p>}
      {value.map(({ text, url }, at) => (
        <div class="row" key={at}>
          <TextField
            label={fill(w.link_text, { number: at + 1 })}
            value={text}
            onValue={(text) => change(at, { text })}
          />
          <TextField
            label={fill(w.link_url, { number: at + 1 })}
            type="url"
            placeholder="https://"
            value={url}
            onValue={(url) => change(at, { url })}
          />
          <button
            type="button"
            class="plain start"
            aria-label={fill(w.remove_link, { number: at + 1 })}
            onClick={() => onValue(value.filter((_, index) => index !== at))}
          >
            {w.remove}
          </button>
        </div>
      ))}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {value.length < MOST_LINKS && (
        <div class="buttons">
          <button type="button" class="plain" onClick={() => onValue([...value, { text: '', url: '' }])}>
            {w.add_link}
          </button>
        </div>
      )}
    </fieldset>
  )
}
