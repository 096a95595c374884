import { draftsOf, dropDraft } from '../api/drafts.ts'
import { leave, leaving, stay } from '../api/leaving.ts'
import { session, signOut } from '../api/session.ts'
import { w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'

/** Asks whoever leaves a form in which something is not saved. */
export function AskLeaving() {
  const wanted = leaving.use()
  if (!wanted) return null
  return (
    <Dialog title={w.leave_title} onClose={stay}>
      <p>{wanted.isKept ? w.leave_kept : w.leave_lost}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={stay}>
          {w.leave_stay}
        </button>
        <button type="button" onClick={() => leave(false)}>
          {wanted.isKept ? w.leave_keep : w.leave}
        </button>
        {wanted.isKept && (
          <button type="button" class="plain" onClick={() => leave(true)}>
            {w.leave_forget}
          </button>
        )}
      </div>
    </Dialog>
  )
}

/** Whether somebody who signs out leaves drafts behind. */
export const hasDrafts = () => draftsOf(session.get()!.user).length > 0

/** Asks whoever signs out what becomes of the drafts. */
export function AskSigningOut({ close }: { close: () => void }) {
  const forget = () => {
    for (const { name } of draftsOf(session.get()!.user)) dropDraft(name)
    void signOut()
  }
  return (
    <Dialog title={w.out_title} onClose={close}>
      <p>{w.out_text}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => signOut()}>
          {w.out_keep}
        </button>
        <button type="button" onClick={forget}>
          {w.out_forget}
        </button>
        <button type="button" class="plain" onClick={close}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  )
}
