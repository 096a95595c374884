import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'
import { PasswordInput } from './user.ts'

const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`YYYY-MM-DD HH:MM:SS\`.` })
const Bytes = (description: string, example: string, maxLength = 10_000) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]*$',
    description: `${description} In base64url without padding.`,
    examples: [example],
  })
const Ticket = (of: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: `Ticket of ${of}.`,
    examples: ['r7Qw3kTz0aXy9bVn5cMd2eLp8fHs4gJu'],
  })

export const SecondFactor = Type.Object(
  {
    active: Type.Boolean({ description: 'Whether signing in with a password asks for a code as well.' }),
    created_utc: Type.Optional(Time('Time at which the second factor was confirmed,')),
    last_used_utc: Type.Optional(Time('Time of the last code that was accepted,')),
    recovery_codes: Type.Integer({ description: 'How many recovery codes are left.' }),
  },
  { $id: 'SecondFactor', description: 'The second factor of a user, without its secret.' },
)
export const NewSecondFactor = Type.Object(
  {
    secret: Type.String({
      description: 'Secret of the codes in base32. It is shown only in this response.',
    }),
    uri: Type.String({
      description: 'Address `otpauth://` with the secret, which programs for codes read from a picture.',
    }),
    ticket: Type.String({ description: 'Ticket that confirms the secret. It ends after 10 minutes.' }),
  },
  { $id: 'NewSecondFactor', description: 'A second factor that is not active yet.' },
)
export const SecondFactorInput = Type.Object({
  ticket: Ticket('the new secret'),
  code: Type.String({
    minLength: 1,
    maxLength: 20,
    description: 'Code of six digits that the new secret gives now.',
    examples: ['492039'],
  }),
})
export const RecoveryCodes = Type.Object(
  {
    codes: Type.Array(Type.String(), {
      description: 'Ten codes, each of which works once. They are shown only in this response.',
    }),
  },
  { $id: 'RecoveryCodes', description: 'New recovery codes, in place of all earlier ones.' },
)
export const FactorProof = Type.Object({
  ticket: Ticket('the refusal `second_factor_required`'),
  code: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Code of six digits, or a recovery code. Spaces, hyphens and case do not count.',
    examples: ['492039'],
  }),
})

const PasskeyMembers = {
  id: c.Id('passkey'),
  name: PasswordInput.properties.name,
  synced: Type.Boolean({
    description:
      'Whether the passkey may be copied to other devices of its user, as programs for passwords do.',
  }),
  created_utc: Time('Time of creation'),
  last_used_utc: Type.Optional(Time('Time of the last sign-in with the passkey,')),
}
export const Passkey = Type.Object(PasskeyMembers, {
  $id: 'Passkey',
  description: 'A passkey with which a user signs in. Only its public key is stored.',
})
export const PasskeyPage = output.Page('PasskeyPage', 'passkeys', Type.Ref('Passkey'))

export const ProviderLink = Type.Object(
  {
    id: c.Id('link'),
    name: Type.String({ description: 'What the provider is called here.', examples: ['Town hall'] }),
    created_utc: Time('Time at which they were linked,'),
    last_used_utc: Type.Optional(Time('Time of the last sign-in with the provider,')),
  },
  {
    $id: 'ProviderLink',
    description: 'That a user is somebody whom a provider of OpenID Connect knows, and signs in there.',
  },
)
export const ProviderLinkPage = output.Page('ProviderLinkPage', 'provider_links', Type.Ref('ProviderLink'))

export const PasskeyInput = Type.Object({
  name: PasswordInput.properties.name,
  client_data: Bytes(
    '`response.clientDataJSON` of the new credential.',
    'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
  ),
  attestation: Bytes('`response.attestationObject` of the new credential.', 'o2NmbXRkbm9uZQ', 100_000),
})
const challenge = Type.String({ description: 'Challenge in base64url, for one use within 5 minutes.' })
const userVerification = Type.Literal('required', { description: 'The authenticator must know its user.' })
const timeout = Type.Integer({ description: 'Milliseconds for which the browser waits.' })
const kind = Type.Literal('public-key', { description: 'The kind of credential.' })
const text = (description: string) => Type.String({ description })
export const PasskeyCreation = Type.Object(
  {
    challenge,
    rp: Type.Object(
      { id: text('The host of this service.'), name: text('The name of the site.') },
      { description: 'This service.' },
    ),
    user: Type.Object(
      {
        id: text('What passkeys call the user, in base64url; it tells nobody who that is.'),
        name: text('The login.'),
        displayName: text('The login.'),
      },
      { description: 'The user.' },
    ),
    pubKeyCredParams: Type.Array(
      Type.Object({ type: kind, alg: Type.Integer({ description: 'Number of an algorithm of COSE.' }) }),
      {
        description: 'Algorithms of signatures, the best first.',
      },
    ),
    timeout,
    attestation: Type.Literal('none', { description: 'It does not matter who made the authenticator.' }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.Literal('required', { description: 'The passkey is found without a login.' }),
        requireResidentKey: Type.Boolean({ description: 'The same, for earlier browsers.' }),
        userVerification,
      },
      { description: 'The passkey must be found without a login, and know its user.' },
    ),
    excludeCredentials: Type.Array(Type.Object({ type: kind, id: text('ID of the credential.') }), {
      description: 'Passkeys that the user has already, by their IDs in base64url.',
    }),
  },
  {
    $id: 'PasskeyCreation',
    description:
      'What a browser needs to make a passkey: the JSON form of `PublicKeyCredentialCreationOptions` (WebAuthn Level 3 §5.4).',
  },
)
export const PasskeyRequest = Type.Object(
  { challenge, rpId: Type.String({ description: 'The host of this service.' }), timeout, userVerification },
  {
    $id: 'PasskeyRequest',
    description:
      'What a browser needs to ask for a passkey: the JSON form of `PublicKeyCredentialRequestOptions` (WebAuthn Level 3 §5.5).',
  },
)
export const PasskeyProof = Type.Object({
  id: Bytes('`id` of the credential.', 'AZ0tZr1kVQ9pXw', 2_000),
  client_data: Bytes('`response.clientDataJSON` of the credential.', 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'),
  authenticator_data: Bytes(
    '`response.authenticatorData` of the credential.',
    'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
  ),
  signature: Bytes('`response.signature` of the credential.', 'MEUCIQDx'),
  user_handle: Bytes('`response.userHandle` of the credential.', 'b3Zlcg', 1_000),
})

export type SecondFactorInput = Static<typeof SecondFactorInput>
export type FactorProof = Static<typeof FactorProof>
export type PasskeyInput = Static<typeof PasskeyInput>
export type PasskeyProof = Static<typeof PasskeyProof>
