import { useRef, useState } from 'preact/hooks'
import { pathOf } from '../../api/site.ts'
import { upload } from '../../parts/media.ts'
import { failureText } from '../../parts/notice.tsx'
import { Library } from '../../parts/picture.tsx'
import { w } from '../../words/words.ts'

/** A picture of the library that stands in place of the name. */
export type Logo = { id: number; url: string } | undefined

type Props = {
  value: Logo
  onValue: (logo: Logo) => void
  locked?: string | undefined
  error?: string | undefined
  /** Whether there are pictures to choose from yet. */
  hasLibrary?: boolean
}

/** The logo of the site: uploaded, or chosen from the library. */
export function LogoField({ value, onValue, locked, error, hasLibrary = true }: Props) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [chooses, setChooses] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const take = async (file: File | undefined) => {
    if (!file) return
    setProblem(undefined)
    setBusy(true)
    await upload(file).then(onValue, (failure) => setProblem(failureText(failure)))
    setBusy(false)
  }
  return (
    <fieldset class="group logo" disabled={locked !== undefined}>
      <legend>{w.logo}</legend>
      <p class="hint">{locked ?? w.logo_hint}</p>
      {value && <img src={pathOf(value.url)} alt={w.logo} />}
      {busy && <p role="status">{w.uploading}</p>}
      {(problem ?? error) && (
        <p class="error" role="alert">
          {problem ?? error}
        </p>
      )}
      <div class="buttons">
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
        />
        <button type="button" class="plain" onClick={() => input.current!.click()}>
          {w.choose_file}
        </button>
        {hasLibrary && (
          <button type="button" class="plain" onClick={() => setChooses(true)}>
            {w.from_library}
          </button>
        )}
        {value && (
          <button type="button" class="plain" onClick={() => onValue(undefined)}>
            {w.remove}
          </button>
        )}
      </div>
      {chooses && (
        <Library
          close={() => setChooses(false)}
          choose={(media) => {
            setChooses(false)
            onValue(media)
          }}
        />
      )}
    </fieldset>
  )
}
