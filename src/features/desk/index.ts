import { type ConfigOf, onOrOff, type SettingTable } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { nameOfProvider } from '../people/openid/provider.ts'
import { deskRoutes, openDesk } from './desk.ts'

const DESK_SETTINGS = {
  DESK: {
    default: 'on',
    meaning: 'on: the desk of the editors, at `/desk/`; off: there is none.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof DESK_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}

/** The desk of the editors: the program that the build has made, for browsers. */
export const desk: ServiceFeature = {
  name: 'desk',
  needs: ['pages', 'people', 'imports'],
  settings: DESK_SETTINGS,
  async plugin(app, { config, service }) {
    const { site, branding } = service
    const opened = config.desk ? openDesk(config, site, branding, nameOfProvider(config)) : undefined
    if (opened) app.register(deskRoutes(opened), { service })
  },
}
