import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { OWN_CREDENTIALS } from './passwords.ts'

const ALL = '/users/:id/provider-links'

const show = ({ id, name, created_utc, last_used_utc }: SignIn) =>
  shown({ id, name, created_utc, last_used_utc })

/** The links of a user with a provider, which are made by signing in there: list, remove. */
export const providerLinkRoutes = family('provider links', async (app, service) => {
  const { users, signIns } = service.store
  const { add, list } = openAccounts(app, service, OWN_CREDENTIALS)
  const linksOf = async (id: number) => signIns.list((await users.find(id)).id, 'openid')

  list({
    kind: 'provider-link',
    plural: 'provider_links',
    url: ALL,
    operationId: 'listProviderLinks',
    summary: 'List the links of a user with a provider',
    description:
      'Returns by which accounts at a provider of OpenID Connect a user signs in, ordered by ID. Every user may list and remove their own, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'provider-link-archive-page-not-found'],
    answer: 'ProviderLinkPage',
    async find({ page, per_page }, { id }) {
      const all = await linksOf(id)
      return { rows: all.slice((page - 1) * per_page, page * per_page).map(show), total: all.length }
    },
  })
  add({
    method: 'DELETE',
    url: `${ALL}/:link_id`,
    operation: 'delete',
    operationId: 'deleteProviderLink',
    summary: 'Remove a link of a user with a provider',
    description:
      'Removes a link at once, with the sessions that it opened: the provider no longer signs in this user. Returns it.',
    errors: ['user-not-found', 'provider-link-not-found'],
    except: ['rest_invalid_param'],
    answer: 'ProviderLink',
    async handle(request) {
      const { id, link_id } = paramsOf(request)
      const link = (await linksOf(id)).find((one) => one.id === link_id)
      if (!link || !(await signIns.remove(id, link_id, actorOf(request))))
        throw new ApiError(
          'provider-link-not-found',
          `User ${id} has no link with a provider with ID ${link_id}.`,
        )
      return show(link)
    },
  })
})
