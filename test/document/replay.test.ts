import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Api, basicAuth, build, ROOT } from '../support/app.ts'
import { fillWithDemo } from '../support/demo.ts'
import { addDigest } from '../support/digests.ts'
import { type Document, documentOf, type Operation, operationsOf } from '../support/document.ts'
import { draw } from '../support/pictures.ts'
import { PROPOSED } from '../support/submissions.ts'

/** The first example of the body of an operation, as the document shows it. */
function bodyOf(document: Document, { content }: Operation): unknown {
  const json = content?.['application/json'] as { examples?: Record<string, { $ref: string }> } | undefined
  const [first] = Object.values(json?.examples ?? {})
  const example = first && document.components.examples![first.$ref.split('/').at(-1)!]
  return (example as { value: unknown } | undefined)?.value
}

/** Operations in the order in which a reader tries them: what creates, what reads, what changes, what deletes. */
const ORDER = ['post', 'get', 'patch', 'put', 'delete']
const rank = ({ method, path }: Operation) =>
  ORDER.indexOf(
    method === 'post' && path.includes('{') && !/(passwords|invitation|test|preview)$/.test(path)
      ? 'put'
      : method,
  )
/**
 * What takes a ticket or a challenge, which is another one each time, and what only a provider makes: test/features/people/second-factors.test.ts,
 * passkeys.test.ts and openid-people.test.ts.
 */
const BY_TICKET = /\/(totp|recovery-codes|passkeys|factor|passkey|provider-links)(\/|$)/
/** What a link or the user themselves prove; all of it together is in `test/document/examples.ts`. */
const BY_PEOPLE = ['acceptInvitation', 'requestPasswordReset', 'confirmPasswordReset', 'setOwnPassword']
/** What else answers with something new: a message is sent again. */
const MAKES = ['replayWebhookDelivery', 'cropMedia']

/** The ID of a session that a user opens with their first password. */
async function openSession(
  { anonymous, administrator }: Api,
  user: { id: number } & Record<string, unknown>,
) {
  const authorization = `Basic ${Buffer.from(`${user.login}:${user.password}`).toString('base64')}`
  await must(anonymous.post('/session', undefined, { headers: { authorization } }))
  const { sessions } = await must(administrator.get(`/users/${user.id}/sessions`))
  return sessions[0].id as number
}

/** The ID of the last change of a record. */
const lastChange = async ({ administrator }: Api, path: string): Promise<number> =>
  (await must(administrator.get(path))).revisions[0].id

/** A submission that waits. */
async function submit({ administrator }: Api): Promise<{ id: number }> {
  await must(administrator.post('/submissions', PROPOSED))
  return (await must(administrator.get('/submissions'))).submissions[0]
}

/** Sends the first example of every operation as it stands, with the IDs and slugs of what these requests have created. */
async function replay(t: Test, api: Api) {
  const document = documentOf(api.app)
  const created: Record<string, { id: number; slug?: string } & Record<string, unknown>> = {}
  const recordsOf = (path: string) =>
    path.split('/').filter((part) => /^[a-z-]+$/.test(part) && !part.startsWith('by-'))
  // deletes by slug come before those by ID, which then delete what is in the trash
  const operations = operationsOf(document).filter(({ path }) => !BY_TICKET.test(path))
  const sorted = operations.toSorted(
    (a, b) => rank(a) - rank(b) || Number(b.path.includes('{slug}')) - Number(a.path.includes('{slug}')),
  )
  const passwordsLast = sorted.toSorted(
    (a, b) => Number(a.operationId === 'deleteUser') - Number(b.operationId === 'deleteUser'),
  )
  /** A session begins with a password, and is read and ended with its token. */
  const { password } = (await api.app.store.users.add('desk', 'editor'))!
  let session = basicAuth('desk', password)
  let sessionOfUser: number | undefined
  for (const operation of passwordsLast) {
    const { method, path, operationId } = operation
    if (BY_PEOPLE.includes(operationId)) continue
    const records = recordsOf(path)
    if (path.includes('{session_id}')) sessionOfUser ??= await openSession(api, created.users!)
    if (path.startsWith('/submissions/{id}')) created.submissions = await submit(api)
    if (path.startsWith('/digests/{id}')) created.digests = await addDigest(api)
    const own = path.replace('{id}', String(created[records[0]!]?.id))
    const [history] = /^.*revisions(?=\/\{)/.exec(own) ?? []
    const url = own
      .replace('{revision_id}', String(history && (await lastChange(api, history))))
      .replace('{password_id}', String(created[records.at(-1)!]?.id))
      .replace('{delivery_id}', String(created.test?.id))
      .replace('{session_id}', String(sessionOfUser))
      .replace('{slug}', String(created[records[0]!]?.slug))
      .replace('{format}', 'jsonld')
      .replace('{source}/{external_id}', 'box-office/show-4711')
    if (path.includes('{external_id}')) {
      const from = { source: 'box-office', external_id: 'show-4711' }
      await must(api.administrator.patch(`/${records[0]}/${created[records[0]!]!.id}`, from))
    }
    const picture = operationId === 'createMedia' && {
      payload: await draw(40, 30, 'jpeg'),
      headers: { 'content-type': 'image/jpeg' },
    }
    const table = operationId === 'createImport' && {
      payload: 'title,start_date\nOpen day,2026-12-12 10:00:00\n',
      headers: { 'content-type': 'text/csv' },
    }
    const payload = bodyOf(document, operation)
    // required parameters with their examples
    const query = new URLSearchParams()
    for (const { in: place, name, required, example } of operation.parameters)
      if (place === 'query' && required) query.set(name, String(example))
    const gone = method === 'delete' && created[records[0]!]?.slug?.endsWith('__trashed')
    const { status, body, text } = await api.administrator.send({
      method: method.toUpperCase() as 'GET',
      url: `${ROOT}${url}${gone ? '?force=true' : query.size > 0 ? `?${query}` : ''}`,
      ...(payload === undefined ? {} : { payload: payload as object }),
      ...picture,
      ...table,
      ...(path === '/session' && { headers: { authorization: session } }),
    })
    if (operationId === 'createSession') session = `Bearer ${body.token}`
    const makes =
      (rank(operation) === 0 && !['batch', 'createImport'].includes(operationId)) ||
      MAKES.includes(operationId)
    t.equal(status, makes ? 201 : 200, `${operationId} ${url}: ${text.slice(0, 200)}`)
    if ((rank(operation) === 0 && body.id !== undefined) || body.slug !== undefined)
      created[records.at(-1)!] = body
  }
}

t.test('the first example of every operation works on a service that has nothing yet', async (t) => {
  await replay(t, await build(t, { fresh: true, env: { SUBMISSIONS: 'on' } }))
})

t.test('the first example of every operation works in the demo', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', SUBMISSIONS: 'on' } })
  await fillWithDemo(api)
  await replay(t, api)
})
