import sharp from 'sharp'
import { must } from '../support/answers.ts'
import { type Answer, type Api, basicAuth } from '../support/app.ts'
import { addDigest } from '../support/digests.ts'
import { codeOf, openAuthenticator } from '../support/people.ts'

/** A file of events, one of which can not be taken. */
const TABLE = 'title,start_date,venue\nWinter market,2026-12-12 10:00:00,Square\nCarols,soon,Square\n'
const CSV = {
  headers: { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="programme.csv"' },
}

/** An event that is perhaps the same as one that was proposed: none of the others is. */
const ALIKE = {
  ...{ id: 12, title: 'Walk with lanterns', status: 'publish' },
  ...{ start_date: '2026-12-12 18:30:00', venue: 'Old mill' },
}
const SUBMISSION_URL = 'https://calendar.example/events/submit/Qm3uT7eYw0cLrV5aZ9dKbAu8xk5sTyqj/'
const CHALLENGE = 'mi8q0yo0.hFxcuUitiOg42981.b2x5KFTyqjHOFEhhFxcuUi'

/** What is sent in the examples of the document, by component. */
const INPUTS = {
  VenueInput: {
    venue: 'Teatre de la Lluna',
    address: 'Carrer Major 12',
    city: 'Vic',
    country: 'Spain',
    zip: '08500',
    phone: '+34 938 000 000',
    website: 'https://lluna.example',
    geo_lat: 41.9301,
    geo_lng: 2.2549,
  },
  OrganizerInput: { organizer: 'Cor de Cambra', email: 'hello@cor.example', website: 'https://cor.example' },
  CategoryInput: { name: 'Choral music', description: 'Music that is sung by many.' },
  TagInput: { name: 'With a talk', description: 'Begins with a talk about the programme.' },
  EventInput: {
    title: 'Evensong & talk',
    description: 'Choral music of six centuries, and a talk before it.',
    start_date: '2026-12-05 19:30:00',
    end_date: '2026-12-05 21:00:00',
    timezone: 'Europe/Madrid',
    cost: '10–20',
    website: 'https://cor.example/evensong',
    venue: { venue: 'Teatre de la Lluna', address: 'Carrer Major 12', city: 'Vic', country: 'Spain' },
    organizer: { organizer: 'Cor de Cambra', email: 'hello@cor.example' },
    categories: ['Concerts'],
    tags: ['Open air'],
  },
  SeriesInput: {
    title: 'Choir practice',
    start_date: '2026-12-08 19:30:00',
    end_date: '2026-12-08 21:00:00',
    timezone: 'Europe/Madrid',
    recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=10', exdate: ['2026-12-29 19:30:00'] },
  },
  SubmissionInput: {
    title: 'Lantern walk',
    start_date: '2026-12-12 18:00:00',
    end_date: '2026-12-12 20:00:00',
    description: 'Bring a lantern and warm shoes.',
    venue: 'Old mill',
    city: 'Vic',
    organizer: 'Friends of the mill',
    name: 'Anna Puig',
    email: 'anna@people.example',
    note: 'The path is lit until nine.',
  },
  SubmissionDecision: { reply: 'Thank you, we are looking forward to it.' },
  UserInput: { login: 'berta', role: 'editor' },
  ApplicationPasswordInput: { name: 'Newsletter' },
  TokenInput: { user: 1, name: 'Website', scopes: ['read', 'write'], expires: '2027-12-31' },
  WebhookInput: {
    url: 'https://mirror.example/hooks/almanac',
    description: 'Town website',
    kinds: ['event'],
    filters: { featured: true },
  },
  BatchInput: {
    atomic: true,
    operations: [
      { id: 'hall', method: 'POST', path: '/venues', body: { venue: 'Ateneu', city: 'Vic' } },
      {
        method: 'POST',
        path: '/events',
        body: {
          title: 'Open day',
          start_date: '2026-12-12 10:00:00',
          end_date: '2026-12-12 18:00:00',
          venue: '#hall',
        },
      },
    ],
  },
  WebhookSecretInput: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
  WebhookReplay: { since: '2026-11-21 08:00:00' },
  WebhookUpdate: { enabled: false },
  EventUpdate: { start_date: '2026-12-05 20:00:00', end_date: '2026-12-05 21:30:00', featured: true },
  SeriesUpdate: { start_date: '2026-12-08 20:00:00', end_date: '2026-12-08 21:30:00' },
  VenueUpdate: { phone: '+34 938 000 001' },
  OrganizerUpdate: { email: 'post@cor.example' },
  CategoryUpdate: { description: 'Music that is sung by many, of all centuries.' },
  TagUpdate: { name: 'With an introduction' },
  UserUpdate: { role: 'author' },
  OwnPasswordInput: { password: 'three cups of green tea', present: 'a garden full of bees' },
  SignInInput: { login: 'berta', password: 'three cups of green tea' },
  PasswordResetInput: { login: 'berta' },
  SettingsUpdate: {
    name: 'Town calendar',
    color: '#00558b',
    logo: 1,
    links: [{ text: 'Town hall', url: 'https://town.example/' }],
  },
  MediaUpdate: {
    alt_texts: { en: 'A choir in front of an altar', ca: 'Un cor davant d’un altar' },
    focal_point: { x: 0.25, y: 0.4 },
  },
  MediaCrop: { x: 0.1, y: 0, width: 0.8, height: 0.72, turns: 0 },
}

const picture = () =>
  sharp({ create: { width: 480, height: 320, channels: 3, background: { r: 40, g: 60, b: 90 } } })
    .jpeg()
    .toBuffer()

/** Sends every input of the examples to a service that has nothing yet; gives them with what is answered. */
export async function makeExamples(api: Api): Promise<Json> {
  const { administrator, anonymous, app } = api
  const { post, patch, get } = administrator
  const headers = {
    'content-type': 'image/jpeg',
    'content-disposition': 'attachment; filename="evensong.jpg"',
  }
  await must(post('/media', await picture(), { headers }))
  const Media = await must(patch('/media/1', INPUTS.MediaUpdate))
  const made: Record<string, unknown> = { ...INPUTS, Media }
  const of = async (name: string, answer: Promise<Answer>) => {
    made[name] = await must(answer)
    return made[name] as { id: number; slug: string }
  }
  await of('Venue', post('/venues', INPUTS.VenueInput))
  await of('Organizer', post('/organizers', INPUTS.OrganizerInput))
  await of('Category', post('/categories', INPUTS.CategoryInput))
  await of('Tag', post('/tags', INPUTS.TagInput))
  const { id, slug } = await of('CalendarEvent', post('/events', INPUTS.EventInput))
  // the example of an answer has an image, for which the input would have to name one that exists
  await must(patch(`/events/${id}`, { image: 1 }))
  for (const [name, path] of [
    ['CalendarEvent', `/events/${id}`],
    ['EventPage', '/events'],
    ['VenuePage', '/venues'],
    ['OrganizerPage', '/organizers'],
    ['CategoryPage', '/categories'],
    ['TagPage', '/tags'],
    ['ChangePage', '/changes?kind=event'],
    ['MediaPage', '/media'],
    ['Suggestions', '/suggest?q=t'],
    ['FullCalendarEvents', '/events.fullcalendar.json'],
  ] as const)
    await of(name, anonymous.get(path))
  await of('MediaUses', get('/media/1/uses'))
  await of('Preview', post(`/events/${id}/preview`))
  const series = await of('Series', post('/series', INPUTS.SeriesInput))
  await of('SeriesPage', anonymous.get('/series'))

  const berta = await of('NewUser', post('/users', INPUTS.UserInput))
  await of('User', get(`/users/${berta.id}`))
  const passwords = `/users/${berta.id}/application-passwords`
  await of('NewApplicationPassword', post(passwords, INPUTS.ApplicationPasswordInput))
  await of('ApplicationPasswordPage', get(passwords))
  await of('NewToken', post('/tokens', INPUTS.TokenInput))
  await of('UserPage', get('/users'))
  await of('TokenPage', get('/tokens'))
  const [ApplicationPassword] = (
    made.ApplicationPasswordPage as { application_passwords: unknown[] }
  ).application_passwords.slice(-1)
  const [Token] = (made.TokenPage as { tokens: unknown[] }).tokens.slice(-1)
  Object.assign(made, { ApplicationPassword, Token })

  const password = (made.NewUser as { password: string }).password
  const signingIn = { authorization: basicAuth('berta', password) }
  await of('NewSession', anonymous.post('/session', undefined, { headers: signingIn }))
  const { token: __, ...Session } = made.NewSession as { token: string }
  made.Session = Session
  const { sessions } = (await of('UserSessionPage', get(`/users/${berta.id}/sessions`))) as never as {
    sessions: object[]
  }
  made.UserSession = sessions[0]

  await of('AuditPage', get('/audit?user=5&code=token_created,user_added'))

  await of('NewWebhook', post('/webhooks', INPUTS.WebhookInput))
  await of('Webhook', get('/webhooks/1'))
  await of('WebhookPage', get('/webhooks'))
  await of('WebhookSecret', post('/webhooks/1/secret', INPUTS.WebhookSecretInput))
  await of('WebhookDelivery', post('/webhooks/1/test'))
  await of('WebhookDeliveryPage', get('/webhooks/1/deliveries'))
  await must(post('/webhooks/1/replay', INPUTS.WebhookReplay))
  await must(post('/webhooks/1/deliveries/1/replay'))
  await must(get('/webhooks/1/deliveries/1'))
  await of('ApiIndex', anonymous.get('/'))
  await of('OpenApiDocument', anonymous.get('/doc'))
  const updates: [string, string][] = [
    ['EventUpdate', `/events/${id}`],
    ['EventUpdate', `/events/by-slug/${slug}`],
    ['SeriesUpdate', `/series/${series.id}`],
    ['SeriesUpdate', `/series/by-slug/${series.slug}`],
    ['VenueUpdate', '/venues/1'],
    ['VenueUpdate', '/venues/by-slug/teatre-de-la-lluna'],
    ['OrganizerUpdate', '/organizers/2'],
    ['OrganizerUpdate', '/organizers/by-slug/cor-de-cambra'],
    ['CategoryUpdate', '/categories/1'],
    ['TagUpdate', '/tags/2'],
    ['UserUpdate', `/users/${berta.id}`],
    ['WebhookUpdate', '/webhooks/1'],
  ]
  for (const [name, path] of updates) await must(patch(path, made[name]))
  const { revisions } = (await of('RevisionPage', get(`/events/${id}/revisions`))) as never as {
    revisions: { id: number; before: object }[]
  }
  const [Revision] = revisions
  Object.assign(made, { Revision, EventVersion: Revision!.before })
  await must(post(`/events/${id}/revisions/${Revision!.id}/restore`))
  const { results } = (await of('BatchAnswer', post('/batch', INPUTS.BatchInput))) as never as {
    results: object[]
  }
  made.BatchResult = results[0]
  const report = (await of('ImportReport', post('/imports', TABLE, CSV))) as never as { first: object[] }
  made.ImportEntry = report.first[0]
  const { imports } = (await of('ImportPage', get('/imports'))) as never as { imports: object[] }
  made.Import = imports[0]
  await of('ImportUndone', post('/imports/1/undo'))
  const { url } = (await of('Invitation', post(`/users/${berta.id}/invitation`))) as never as { url: string }
  const { password: first, present: own } = INPUTS.OwnPasswordInput
  const page = { headers: { 'sec-fetch-site': 'same-origin' } }
  made.InvitationAcceptance = { ticket: url.split('/').at(-1), password: first }
  await must(anonymous.post('/invitations/accept', made.InvitationAcceptance, page))
  await must(anonymous.post('/session/cookie', INPUTS.SignInInput, page))
  await of('PasswordReset', anonymous.post('/password-resets', INPUTS.PasswordResetInput))
  const ticket = await app.store.db.write((tx) =>
    app.store.tickets.issue(tx, 'reset', 3_600_000, { user: berta.id }),
  )
  made.PasswordResetConfirmation = { ticket, password: own }
  await must(anonymous.post('/password-resets/confirm', made.PasswordResetConfirmation))
  const changing = { headers: signingIn }
  await of('OwnPassword', anonymous.put(`/users/${berta.id}/password`, INPUTS.OwnPasswordInput, changing))
  await makeFactors(api, berta.id, signingIn, made, of)
  await of('SubmissionChallenge', anonymous.get('/submissions/challenge'))
  await of('NewSubmission', post('/submissions', INPUTS.SubmissionInput))
  await of('Submission', post('/submissions/1/accept', INPUTS.SubmissionDecision))
  await of('SubmissionPage', get('/submissions'))
  made.SubmissionAlike = ALIKE
  made.Digest = await addDigest(api)
  await of('DigestPage', get('/digests'))
  await must(get('/settings'))
  await of('Settings', patch('/settings', INPUTS.SettingsUpdate))
  return made
}

/** The second factor of a user, and a passkey. */
async function makeFactors(
  { anonymous, administrator, app, clock }: Api,
  id: number,
  signingIn: { authorization: string },
  made: Json,
  of: (name: string, answer: Promise<Answer>) => Promise<object>,
) {
  const as = { headers: signingIn }
  const totp = `/users/${id}/totp`
  type Prepared = { secret: string; ticket: string }
  const prepared = (await of('NewSecondFactor', anonymous.post(totp, undefined, as))) as Prepared
  made.SecondFactorInput = { ticket: prepared.ticket, code: codeOf(prepared.secret, clock.now) }
  const confirmed = await of('RecoveryCodes', anonymous.post(`${totp}/confirm`, made.SecondFactorInput, as))
  await of('SecondFactor', administrator.get(totp))
  const passkeys = `/users/${id}/passkeys`
  const creation = await of('PasskeyCreation', anonymous.post(`${passkeys}/options`, undefined, as))
  const { origin } = new URL((made.Venue as { url: string }).url)
  const device = openAuthenticator(origin)
  made.PasskeyInput = {
    name: 'Phone',
    ...device.make(creation as Parameters<typeof device.make>[0], { synced: true }),
  }
  const passkey = await of('Passkey', anonymous.post(passkeys, made.PasskeyInput, as))
  await of('PasskeyPage', anonymous.get(passkeys, undefined, as))
  const asked = await of('PasskeyRequest', anonymous.post('/session/passkey/options'))
  made.PasskeyProof = device.sign(asked as { challenge: string }, { synced: true })
  await must(anonymous.post('/session/passkey', made.PasskeyProof, { headers: { origin } }))
  const { secondFactors, users } = app.store
  const ticket = await secondFactors.ask(await users.find(id), passkey as { id: number })
  made.FactorProof = { ticket, code: (confirmed as { codes: string[] }).codes[0] }
  await must(anonymous.post('/session/factor', made.FactorProof, { headers: { origin } }))
  await app.store.db.write((tx) =>
    app.store.signIns.add(tx, {
      user_id: id,
      kind: 'openid',
      name: 'Town hall',
      external: 'https://id.example maria',
    }),
  )
  const { provider_links: links } = (await of(
    'ProviderLinkPage',
    administrator.get(`/users/${id}/provider-links`),
  )) as { provider_links: Json[] }
  made.ProviderLink = links[0]
}

/** The examples of second factors and passkeys with what is random replaced. */
function publishableFactors(made: Json): Json {
  const [ticket, code] = ['r7Qw3kTz0aXy9bVn5cMd2eLp8fHs4gJu', '492039']
  const challenge = 'Jt4vZ0qLr8cYw2nXb6mEh1sKd9fGp3aU'
  const credential = 'mB3xWq8ZtR5kYc1nVd7eLg'
  const handle = 'Zk5rU0m2cXqW8yTn4bVd1eLh7pJs9gFa3iQoRwKtMzE'
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const uri = (made.NewSecondFactor as { uri: string }).uri.replace(/secret=\w+/, `secret=${secret}`)
  const creation = made.PasskeyCreation as { user: Json }
  return {
    NewSecondFactor: { secret, uri, ticket },
    SecondFactorInput: { ticket, code },
    RecoveryCodes: { codes: ['3f9a-10c7-be42-86d5-7a1e', '5c08-d3f1-927b-4ae6-0b95'] },
    FactorProof: { ticket, code },
    PasskeyCreation: { ...creation, challenge, user: { ...creation.user, id: handle } },
    PasskeyRequest: { ...(made.PasskeyRequest as Json), challenge },
    PasskeyInput: {
      name: 'Phone',
      client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
      attestation: 'o2NmbXRkbm9uZQ',
    },
    PasskeyProof: {
      ...{ id: credential, client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0', user_handle: handle },
      authenticator_data: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
      signature: 'MEUCIQDx8nFq',
    },
  }
}

/** Encoders differ by a few bytes from machine to machine. */
function evenSize(name: string, value: unknown) {
  if (name === 'filesize') return 24_000
  return typeof value === 'string' ? value.replace(CHANCE, '-7c1e9a4f20d86b35f1e2') : value
}
/** The part of the names of files that is drawn by lot. */
const CHANCE = /-[0-9a-f]{20}(?=[-.])/g

/** An example with what is random replaced, and with the beginning of what is long. */
export function publishable(all: Json): Json {
  const { ApiIndex, OpenApiDocument, ChangePage, ...others } = JSON.parse(
    JSON.stringify(all, evenSize),
  ) as Json
  const {
    NewUser,
    NewApplicationPassword,
    NewToken,
    NewSession,
    NewWebhook,
    Preview,
    NewSubmission,
    SubmissionChallenge,
    ...made
  } = others as Json
  const { Invitation, InvitationAcceptance, PasswordResetConfirmation } = made as Record<string, Json>
  const ticket = 'Zq1xWc0v2Jd7mN4bT8yRkL5sHfAeUgPi'
  const { routes, ...index } = ApiIndex as { routes: Json }
  const document = OpenApiDocument as { openapi: string; info: Json; servers: Json[]; tags: Json[] }
  const list = Object.keys(routes).find((route) => route.endsWith('/doc'))!
  return {
    ...made,
    ...publishableFactors(made),
    ChangePage: {
      ...(ChangePage as Json),
      next_sync_token: 'bT7qkWBE0yStQrsfga_2x5KFTyqjHOFEhhFxcuUitiOg4298',
    },
    Preview: {
      ...(Preview as Json),
      url: 'https://calendar.example/preview/3.1.u8xk5s.Qm3uT7eYw0cLrV5aZ9dKbA',
    },
    Invitation: { ...Invitation, url: `https://calendar.example/desk/#/invitation/${ticket}` },
    InvitationAcceptance: { ...InvitationAcceptance, ticket },
    PasswordResetConfirmation: { ...PasswordResetConfirmation, ticket },
    NewSubmission: { ...(NewSubmission as Json), url: SUBMISSION_URL },
    SubmissionChallenge: { ...(SubmissionChallenge as Json), challenge: CHALLENGE },
    NewUser: { ...(NewUser as Json), password: 'mPq2 x9Lw aB4t Zr8s' },
    NewApplicationPassword: { ...(NewApplicationPassword as Json), password: 'hT6v Kc1n Jd5y Wb3e' },
    NewToken: { ...(NewToken as Json), token: 'almanac_9f4c1e7ab20d4f6c8e35' },
    NewSession: { ...(NewSession as Json), token: 'almanac_3b7d5e90c14a4f0e9d21' },
    NewWebhook: { ...(NewWebhook as Json), secret: INPUTS.WebhookSecretInput.secret },
    ApiIndex: { ...index, routes: { [list]: routes[list] } },
    OpenApiDocument: {
      openapi: document.openapi,
      info: { title: document.info.title, version: document.info.version },
      servers: document.servers,
      tags: document.tags.slice(0, 1),
      paths: {},
      components: {},
    },
  }
}
type Json = Record<string, unknown>
