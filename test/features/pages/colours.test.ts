import { readFileSync } from 'node:fs'
import t from 'tap'
import { contrast, readColour } from '../../../src/calendar/branding.ts'
import { accentOf } from '../../../src/features/pages/pages.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const sheets = ['src/features/pages/assets/calendar.css', 'desk/style/base.css'].map(read)

/** The colours of a scheme by their names: those of the first block of `:root`, with those of the dark one over them. */
function coloursOf(isDark: boolean): Record<string, string> {
  const colours: Record<string, string> = {}
  for (const sheet of sheets) {
    const [light, dark] = sheet.split(/@media[^{]*prefers-color-scheme: dark\)/)
    for (const part of [light!, ...(isDark ? [dark!.split(/\n\}/)[0]!] : [])])
      for (const [, name, colour] of part.matchAll(/--([\w-]+):[^;]*?(#[0-9a-f]{6})\)*;/g))
        colours[name!] = colour!
  }
  return colours
}
const contrastOf = (one: string, other: string) => contrast(readColour(one)!, readColour(other)!)

const STATES = ['cancelled', 'postponed', 'rescheduled', 'online', 'over']
const SURFACES = ['paper', 'raised', 'wash', 'band', 'bad-wash', 'good-wash']
const ACCENTS = [
  '#b5341c',
  '#2e7d32',
  '#00558b',
  '#ffffff',
  '#000000',
  '#ffff00',
  '#777777',
  '#ff00ff',
  '#0000ff',
]

for (const isDark of [false, true]) {
  const scheme = isDark ? 'dark' : 'light'
  const colours = coloursOf(isDark)
  const on = (name: string, colour: string, surfaces: string[]) =>
    surfaces.map(
      (surface) => [`${scheme}: ${name} on ${surface}`, contrastOf(colour, colours[surface]!)] as const,
    )

  t.test(`what becomes of an event can be read on every surface of the ${scheme} scheme`, async (t) => {
    const all = [
      ...STATES.flatMap((state) => on(state, colours[state]!, [...SURFACES, `${state}-wash`])),
      ...STATES.flatMap((state) => on('ink', colours.ink!, [`${state}-wash`])),
      ...['free', 'ink', 'soft', 'bad', 'good'].flatMap((name) => on(name, colours[name]!, SURFACES)),
    ]
    for (const [name, found] of all) t.ok(found >= 4.5, `${name}: ${found.toFixed(2)}`)
  })

  t.test(`any accent can be read on every surface of the ${scheme} scheme`, async (t) => {
    const made = ACCENTS.map((accent) => {
      const [, light, dark] = /--site-accent:(#\w+).*?--site-accent:(#\w+)/s.exec(accentOf(accent))!
      return (isDark ? dark : light)!
    })
    for (const accent of [colours.accent!, ...made])
      for (const [name, found] of on(accent, accent, SURFACES))
        t.ok(found >= 4.5, `${name}: ${found.toFixed(2)}`)
  })
}

t.test('the dark scheme is the same whether the browser or an attribute asks for it', async (t) => {
  const blocks = [
    ...(sheets[0]! + read('src/features/pages/assets/embed.css')).matchAll(
      /--paper: #171512;.*?--over-wash: #\w+;/gs,
    ),
  ].map(([block]) => block.replace(/\s+/g, ' '))
  t.equal(blocks.length, 2)
  t.equal(blocks[0], blocks[1])
})
