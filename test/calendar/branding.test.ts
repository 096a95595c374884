import t from 'tap'
import { readLinks } from '../../src/calendar/branding.ts'

t.test('links of settings are texts with their addresses', async (t) => {
  t.same(readLinks(''), [])
  t.same(
    readLinks(' Town hall  https://town.example/a?b=1; Legal notice /legal/;Write mailto:a@b.example ;'),
    [
      { text: 'Town hall', url: 'https://town.example/a?b=1' },
      { text: 'Legal notice', url: '/legal/' },
      { text: 'Write', url: 'mailto:a@b.example' },
    ],
  )
  for (const wrong of [
    'https://town.example',
    'Town',
    'Bad javascript:alert(1)',
    'Other //town.example',
    'A /a;B',
  ])
    t.equal(readLinks(wrong), undefined, wrong)
})
