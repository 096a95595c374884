import type { ServiceFeature } from '../host.ts'
import { deskRoutes } from '../pages/routes/files.ts'
import { nameOfProvider } from '../people/openid/provider.ts'
import { openDesk } from './desk.ts'

/** The desk of the editors: the program that the build has made, for browsers. */
export const desk: ServiceFeature = {
  name: 'desk',
  needs: ['pages', 'people'],
  async plugin(app, { config, service }) {
    const { site, look } = service
    const opened = config.desk ? openDesk(config, site, look, nameOfProvider(config)) : undefined
    if (opened) app.register(deskRoutes(opened), { service })
  },
}
