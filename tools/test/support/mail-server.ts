import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'

/** A key and a certificate of `localhost` that nobody signed, made for tests alone. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9fWBKjaR9dZu9igs
hHY49zGm6MmY+66cBg0bdzuEyTqhRANCAAR6wqGzB/TC/zJBPT+Ze24qmsVx3DoA
ivXS6t0LYAuACCkNa4bia8YP7QdehkKnYlvA4ZdZ6iJFqhggUCImo2Ie
-----END PRIVATE KEY-----`
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUKVK6nBsos8PHQ4JKreyM5oXupUIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjEzNDE0NloYDzIxMjYxMTAy
MTM0MTQ2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAR6wqGzB/TC/zJBPT+Ze24qmsVx3DoAivXS6t0LYAuACCkNa4bia8YP
7QdehkKnYlvA4ZdZ6iJFqhggUCImo2Ieo2kwZzAdBgNVHQ4EFgQU591erlpQESvJ
yfOS+5QRQHBI5mYwHwYDVR0jBBgwFoAU591erlpQESvJyfOS+5QRQHBI5mYwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhAOPpUkaBLxjS2UnJfw/Hn9wQcmyj+W5rr67pKttXJFg2AiEAiTpffd3E
PLtoQhbdYNsc/g87qvQqvXAPVVbe4bUZdxw=
-----END CERTIFICATE-----`

export type Received = { from: string; to: string[]; user: string | undefined; secure: boolean; text: string }

/** A refusal with a status, as a server of mail answers it. */
export const refusal = (responseCode: number, message = 'not now') =>
  Object.assign(new Error(message), { responseCode })

/** A server of mail on this machine, and what it has taken. `options` say what it refuses. */
export async function openMailServer(t: Pick<Test, 'teardown'>, options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    ...{ authOptional: true, allowInsecureAuth: true, disableReverseLookup: true, closeTimeout: 1 },
    ...{ key: KEY, cert: CERTIFICATE },
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    async onData(stream, { envelope, user, secure }, done) {
      received.push({
        from: envelope.mailFrom ? envelope.mailFrom.address : '',
        to: envelope.rcptTo.map(({ address }) => address),
        ...{ user: user as string | undefined, secure, text: await text(stream) },
      })
      done()
    },
    ...options,
  })
  server.on('error', () => {}) // of a connection that a client gave up
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  t.teardown(close)
  return { received, port: (server.server.address() as AddressInfo).port, close }
}

/** Text and headers of a mail: lines that go on and escapes of quoted-printable are joined. */
export const decoded = (text: string) =>
  text
    .replace(/=\r\n/g, '')
    .replace(/(?:=[\dA-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString())
