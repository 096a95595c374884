import { listAll, send } from '../../api/client.ts'
import { keepPlace, THERE } from '../../api/openid.ts'
import { SITE } from '../../api/site.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed } from '../../parts/notice.tsx'
import { fill, w } from '../../words/words.ts'
import { Endable, type Ending, type Times, timesOf } from './endable.tsx'

type Link = { id: number; name: string } & Times

const removing = ({ name }: Link): Ending => ({
  label: fill(w.openid_unlink_one, { name }),
  title: fill(w.openid_unlink_title, { name }),
  text: fill(w.openid_unlink_text, { name }),
  yes: w.openid_unlink,
  done: w.openid_unlinked,
})

/** The way to be linked with the provider, for who has signed in without it. */
const LinkWith = ({ name }: { name: string }) => (
  <p>
    <a class="button plain" href={`${THERE}?link=true`} onClick={keepPlace}>
      {fill(w.openid_link, { name })}
    </a>
  </p>
)

/** The links of a user with a provider, which can be removed. Users make their own; of others there is something to see if there is a link. */
export function ProviderLinks({ user, isOther = false }: { user: number; isOther?: boolean }) {
  const path = `/users/${user}/provider-links`
  const { value, failure, again } = useLoaded(path, () => listAll<Link>(path, 'provider_links'))
  const links = value ?? []
  const mayLink = !isOther && SITE.openid !== undefined
  if (!mayLink && !failure && links.length === 0) return null
  const name = SITE.openid ?? links[0]?.name ?? ''
  const title = fill(w.openid_link_title, { name })
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {mayLink && <p class="hint">{fill(w.openid_link_hint, { name })}</p>}
      {failure && <Failed failure={failure} again={again} />}
      {links.length > 0 && (
        <Endable
          title={title}
          rows={links}
          facts={(link) => timesOf(link)}
          ending={removing}
          end={async ({ id }) => {
            await send('DELETE', `${path}/${id}`)
            again()
          }}
        />
      )}
      {mayLink && <LinkWith name={name} />}
    </section>
  )
}
