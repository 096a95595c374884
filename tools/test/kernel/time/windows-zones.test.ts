import { readFileSync } from 'node:fs'
import t from 'tap'
import { readZone } from '../../../../src/kernel/time/dates.ts'
import { WINDOWS_ZONES } from '../../../../src/kernel/time/windows-zones.ts'
import { WORLD_ZONES } from '../../../../src/kernel/time/zones.ts'
import { windowsSource } from '../../../zones.ts'

t.test('the names of Windows are those of the CLDR, and all stand for zones that are known', async (t) => {
  const file = new URL('../../../../src/kernel/time/windows-zones.ts', import.meta.url)
  t.equal(readFileSync(file, 'utf8'), windowsSource(), 'npm run zones makes it')
  for (const line of WINDOWS_ZONES.trim().split('\n')) {
    const [name, zones] = line.split('|') as [string, string]
    // UTC-11 is an offset as well
    if (!name.startsWith('UTC')) t.equal(readZone(name), zones.split(' ')[0], name)
  }
  t.ok(WORLD_ZONES.indexOf('Asia/Tokyo') < WORLD_ZONES.indexOf('Asia/Chita'))
})
