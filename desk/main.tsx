import { type ComponentChildren, render } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { watchLeaving } from './api/leaving.ts'
import { comeBack, refused } from './api/openid.ts'
import { asking, session } from './api/session.ts'
import { SITE } from './api/site.ts'
import { usePlace } from './api/use.ts'
import { pageAt } from './pages/pages.tsx'
import { ForgotPage } from './pages/people/forgot.tsx'
import { LinkPage } from './pages/people/link.tsx'
import { FirstSettings } from './pages/settings/first.tsx'
import { useHeading } from './parts/heading.ts'
import { Failed, Toasts, tell } from './parts/notice.tsx'
import { refusedText } from './parts/openid.tsx'
import { may, Shell } from './parts/shell.tsx'
import { SignIn, SignInAgain } from './parts/signin.tsx'
import { language, w } from './words/words.ts'

/** The page of the place in the address, and its title. */
function Page() {
  const place = usePlace()
  const { key, title, page } = pageAt(place)
  useHeading(key, title)
  return (
    <div key={key}>
      <Guarded>{page}</Guarded>
    </div>
  )
}

/** A page, or what went wrong in it: the way to the other pages stays. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [failure, again] = useErrorBoundary((error) => reportError(error))
  return failure ? <Failed failure={failure} again={again} /> : children
}

/** A page for who can not sign in yet, or not any more; it is the same for whoever has signed in. */
function outerPage([name, ticket]: string[]) {
  if (name === 'forgot') return <ForgotPage />
  const isLink = name === 'invitation' || name === 'reset'
  return isLink && ticket !== undefined ? <LinkPage key={ticket} purpose={name} ticket={ticket} /> : undefined
}

function Desk() {
  const outer = outerPage(usePlace().path)
  const speaks = language.use()
  const signedIn = session.use()
  const reason = asking.use()
  if (outer) return <div key={speaks}>{outer}</div>
  if (!signedIn) return <SignIn key={speaks} />
  return (
    <>
      <Shell key={`${speaks} ${signedIn.user}`}>
        <Page />
      </Shell>
      {SITE.asks && may('change the settings of the site') && <FirstSettings key={signedIn.user} />}
      {reason && <SignInAgain reason={reason} />}
      <Toasts />
    </>
  )
}

watchLeaving()
document.title = `${w.desk} – ${SITE.name}`
const isBeside = await comeBack()
render(<Desk />, document.body)
const told = refused.get()
if (told && session.get()) tell({ bad: true, text: refusedText(told) })
if (isBeside) {
  tell({ text: w.openid_back })
  window.close() // where the browser lets it
}
