import { useState } from 'preact/hooks'
import { SITE } from '../../api/site.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { tellFailure } from '../../parts/notice.tsx'
import { w } from '../../words/words.ts'

/** Saves a text as a file. */
function download(name: string, text: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Recovery codes, which are shown once. */
export function RecoveryCodes({ codes, close }: { codes: string[]; close: () => void }) {
  const [copied, setCopied] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <Dialog title={w.recovery} onClose={close}>
      <p>{w.recovery_about}</p>
      <ul class="secret" aria-label={w.recovery}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="buttons">
        {navigator.clipboard && (
          <button
            type="button"
            class="plain"
            onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true), tellFailure)}
          >
            {copied ? w.copied : w.copy}
          </button>
        )}
        <button
          type="button"
          class="plain"
          onClick={() => download('recovery-codes.txt', `${SITE.name}\n\n${text}`)}
        >
          {w.recovery_download}
        </button>
        <button type="button" onClick={close}>
          {w.noted}
        </button>
      </div>
    </Dialog>
  )
}
