import type { FastifyRequest } from 'fastify'
import { buildApp } from './app.ts'
import type { Config } from './config.ts'

type Output = (text: string) => void

/** One JSON line a request; on a terminal readable text. Query strings may hold passwords: only the path is logged. */
export const loggerOf = (level: string, terminal: boolean) => ({
  level,
  ...(terminal && {
    transport: {
      target: 'pino-pretty',
      options: {
        translateTime: 'HH:MM:ss',
        ignore: 'pid,hostname,reqId,req.remoteAddress',
        singleLine: true,
      },
    },
  }),
  serializers: {
    req: (request: FastifyRequest) => ({
      method: request.method,
      path: request.originalUrl.split('?')[0],
      remoteAddress: request.ip,
    }),
  },
})

/** Starts listening; the very first start without users makes `admin` and tells its password this once. */
export async function serve(config: Config, print: Output, terminal: boolean) {
  const app = await buildApp({ config, logger: loggerOf(config.logLevel, terminal) })
  const first =
    (await app.store.users.count()) === 0 ? await app.store.users.add('admin', 'administrator') : undefined
  await app.listen({ host: config.host, port: config.port })
  const api = `${config.baseUrl}/${config.namespace}`
  print(`Almanac answers at ${api}/ - browse it at ${api}/doc\n${first ? welcome(first.password, api) : ''}`)
  return app
}

const welcome = (password: string, api: string) => `
A user was made for you:  admin
Application password:     ${password}

It is shown this once. Try it:

  curl -u 'admin:${password}' -H 'Content-Type: application/json' \\
    -d '{"title":"First event","start_date":"tomorrow","end_date":"tomorrow","all_day":true}' \\
    ${api}/events

`
