import { send } from './client.ts'
import { refresh, SITE } from './site.ts'

export type SiteLink = { text: string; url: string }
/** The settings of the site, as a response has them. */
export type Settings = {
  name: string
  color: string
  logo?: number
  logo_url?: string
  links: SiteLink[]
  timezone: string
  currency: string
  languages: string[]
  confirmed: boolean
  /** Members that the environment of the service sets. */
  locked: string[]
  /** Whether there are records, so that time zone, currency and languages stay. */
  held: boolean
}

/** Sends changes of the settings, if nobody else has changed them since. */
export const saveSettings = (body: object, match?: string) =>
  send<Settings>('PATCH', '/settings', { body, match })

/** Milliseconds between looks at a service that starts anew, and how many there are. */
const PAUSE = 500
const LOOKS = 40

/** Whether the page of the desk that is open was made with these settings. */
export const isCurrent = ({ timezone, currency, languages }: Settings): boolean =>
  timezone === SITE.zone && currency === SITE.currency && languages.join() === SITE.languages.join()

/** Waits until the service has started anew with these settings, and loads the desk again. Gives false if it has not started in 20 seconds. */
export async function startAnew(settings: Settings): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const now = await refresh().catch(() => undefined)
    if (
      now?.zone === settings.timezone &&
      now.currency === settings.currency &&
      now.languages === settings.languages.join()
    ) {
      location.reload()
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return false
}
