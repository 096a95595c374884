import { send } from './client.ts'
import { enter, post } from './session.ts'

/** Whether this browser knows passkeys: over HTTPS, and at localhost. */
export const knowsPasskeys = () => 'PublicKeyCredential' in window

type Bytes = Uint8Array<ArrayBuffer>
const bytesOf = (text: string): Bytes =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

type Creation = Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
  challenge: string
  user: { id: string; name: string; displayName: string }
  excludeCredentials: { type: 'public-key'; id: string }[]
}

/** Has the device make a passkey, and adds it. Throws what the browser throws if its user would rather not. */
export async function addPasskey(user: number, name: string) {
  const path = `/users/${user}/passkeys`
  const { body: options } = await send<Creation>('POST', `${path}/options`)
  const made = (await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: options.excludeCredentials.map(({ id, type }) => ({ type, id: bytesOf(id) })),
    },
  })) as PublicKeyCredential
  const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse
  const body = { name, client_data: textOf(clientDataJSON), attestation: textOf(attestationObject) }
  await send('POST', path, { body })
}

/** Signs in with a passkey. Returns the refusal, if there is one; throws what the browser throws if its user would rather not. */
export async function signInByPasskey(): Promise<Response | undefined> {
  const asked = await post('/session/passkey/options', {})
  if (!asked.ok) return asked
  const { challenge, rpId, timeout, userVerification } = await asked.json()
  const found = (await navigator.credentials.get({
    publicKey: { challenge: bytesOf(challenge), rpId, timeout, userVerification },
  })) as PublicKeyCredential
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    found.response as AuthenticatorAssertionResponse
  const answer = await post('/session/passkey', {
    id: textOf(found.rawId),
    client_data: textOf(clientDataJSON),
    authenticator_data: textOf(authenticatorData),
    signature: textOf(signature),
    user_handle: textOf(userHandle ?? new ArrayBuffer(0)),
  })
  return enter(answer)
}
