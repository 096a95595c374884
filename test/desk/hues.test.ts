import { readFileSync } from 'node:fs'
import t from 'tap'
import { categoriesOf, colored, hueOf } from '../../desk/rules/hues.ts'
import { contrast } from '../../src/calendar/branding.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

type Rgb = [number, number, number]
/** A colour of OKLCH in sRGB, cut off where a screen has none, from 0 to 255 (CSS Color 4 §10). */
function rgbOf(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)]
  const [l, m, s] = [
    (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ]
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
  return linear.map((part) => {
    const inside = Math.min(1, Math.max(0, part))
    return 255 * (inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055)
  }) as Rgb
}
const hex = (text: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as Rgb

/** The colours of categories and what they stand on, light and dark, as the style sheets have them. */
const tokens = (name: string) =>
  [
    ...read('src/features/pages/assets/calendar.css').matchAll(new RegExp(`--${name}: (#[0-9a-f]{6})`, 'g')),
  ].map(([, colour]) => hex(colour!))
const made = (name: string) =>
  [...read('desk/style/month.css').matchAll(new RegExp(`--${name}: oklch\\(([\\d.]+)% ([\\d.]+)`, 'g'))].map(
    ([, lightness, chroma]) =>
      (hue: number) =>
        rgbOf(Number(lightness) / 100, Number(chroma), hue),
  )

t.test(
  'the colour of a category is seen, and words on it are read, in every hue, light and dark',
  async (t) => {
    for (const [scheme, at] of [
      ['light', 0],
      ['dark', 1],
    ] as const) {
      const [tint, mark] = [made('tint')[at]!, made('mark')[at]!]
      for (let hue = 0; hue < 360; hue++) {
        const words = Math.min(...['ink', 'soft'].map((name) => contrast(tokens(name)[at]!, tint(hue))))
        const graphics = ['raised', 'wash', 'paper'].map((name) => contrast(tokens(name)[at]!, mark(hue)))
        if (words < 4.5 || Math.min(...graphics) < 3)
          t.fail(`${scheme} ${hue}: ${words.toFixed(2)}, ${Math.min(...graphics).toFixed(2)}`)
      }
    }
    t.equal(made('tint').length, 2)
  },
)

t.test('a category has one colour and one name in all of its languages', async (t) => {
  const music = { id: 3, name: 'Music', language: 'en', translations: { ca: 7 } }
  const musica = { id: 7, name: 'Música', language: 'ca', translations: { en: 3 } }
  const walks = { id: 9, name: 'Paseos', language: 'es', translations: {} }
  const known = colored([music, musica, walks], 'ca')
  t.same(
    [...known.values()],
    [
      { id: 3, key: 3, name: 'Música' },
      { id: 7, key: 3, name: 'Música' },
      { id: 9, key: 9, name: 'Paseos' },
    ],
  )
  t.equal(colored([musica], 'en').get(7)?.name, 'Música', 'its translation is not known')
  t.not(hueOf({ key: 3 }), hueOf({ key: 9 }))
  const events = [[9], [7, 9], [3], []].map((ids) => ({ categories: ids.map((id) => known.get(id)!) }))
  t.match(categoriesOf(events), [
    { key: 3, count: 2 },
    { key: 9, count: 1 },
  ])
})
