import { DigestQuery } from '../../../schemas/digest.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { DIGEST_RIGHTS } from './rights.ts'
import type { Digest } from './store.ts'

const AREA = {
  tag: 'Digests',
  permission: {
    right: DIGEST_RIGHTS['manage subscriptions by mail'],
    to: 'manage subscriptions by mail',
  },
} as const

const show = ({ id, email, every, language, filters, created_utc, confirmed_utc }: Digest) =>
  shown({ id, email, every, language, ...filters, created_utc, confirmed_utc })

/** Addresses that events are sent to, for administrators: whoever subscribes does so on pages. */
export const digestRoutes = family('subscriptions by mail', async (app, service) => {
  const { add, list, paramsOf } = openCollection(app, service, { ...AREA, ids: { id: 'digest' } })
  const { digests } = service.store

  list({
    kind: 'digest',
    plural: 'digests',
    url: '/digests',
    operationId: 'listDigests',
    summary: 'List subscriptions by mail',
    description:
      'Returns the addresses to which new events are sent, the latest first. One without `confirmed_utc` waits for its owner to confirm it. Requires the role `administrator` and, with a token, the scope `admin`.',
    errors: ['digest-archive-page-not-found'],
    answer: 'DigestPage',
    query: DigestQuery,
    async find(paging, _params, request) {
      const { search, every } = request.query as DigestQuery
      const { rows, total } = await digests.list({ ...paging, search, every })
      return { rows: rows.map(show), total }
    },
  })
  add({
    method: 'DELETE',
    url: '/digests/:id',
    operation: 'delete',
    operationId: 'deleteDigest',
    summary: 'Delete a subscription by mail',
    description:
      'Deletes an address at once, with the mails to it that wait. Nothing keeps it: the audit log has the ID alone. Returns it.',
    errors: ['digest-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Digest',
    handle: async (request) => show(await digests.remove(paramsOf(request).id, actorOf(request))),
  })
})
