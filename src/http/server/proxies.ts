import fp from 'fastify-plugin'

/** Headers in which proxies send the client address (RFC 7239, and its predecessor). */
const FORWARDED = ['x-forwarded-for', 'forwarded']

/**
 * Warns once if a header shows a proxy while none is trusted: all its clients then count as one address, and share its limits.
 */
export const proxies = fp<{ trusted: boolean | string }>(
  async (app, { trusted }) => {
    if (trusted !== false) return
    let warned = false
    app.addHook('onRequest', ({ headers, socket, log }, _reply, done) => {
      const header = warned ? undefined : FORWARDED.find((name) => headers[name] !== undefined)
      if (header) {
        warned = true
        const peer = String(socket.remoteAddress).replace(/^::ffff:/, '')
        log.warn({ header, peer }, adviceOn(peer))
      }
      done()
    })
  },
  { name: 'proxies', dependencies: ['log'] },
)

const adviceOn = (peer: string) =>
  `a request says that it was forwarded, and TRUST_PROXY is off: if ${peer} is a proxy of yours, set TRUST_PROXY=${peer}; otherwise all who come through it share one limit of failed logins, and one budget of COST_LIMIT, or none if that address is private. Any client can send such a header: trust no address that you do not know`
