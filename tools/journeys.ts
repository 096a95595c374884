import type { Locator } from 'playwright-core'

/** A person who goes through a journey, and how many times they have clicked, or chosen from a list. Typing and keys are not counted. */
export type Journey = {
  /** How many clicks it took so far. */
  clicks: number
  /** Presses a button, a link, a box or whatever else one presses. */
  click: (target: Locator) => Promise<void>
  /** Chooses from a list by its label. Counts as one, as most people open it, type or scroll, and press once. */
  choose: (list: Locator, label: string) => Promise<void>
  /** Gives files to a field as if they were chosen or dropped. */
  give: (field: Locator, files: Parameters<Locator['setInputFiles']>[0]) => Promise<void>
}

/** Begins a journey of which the clicks are counted. */
export function counting(): Journey {
  const journey: Journey = {
    clicks: 0,
    click: async (target) => {
      journey.clicks++
      await target.click()
    },
    choose: async (list, label) => {
      journey.clicks++
      await list.selectOption({ label })
    },
    give: async (field, files) => {
      journey.clicks++
      await field.setInputFiles(files)
    },
  }
  return journey
}
