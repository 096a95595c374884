import { vtimezone } from '../../src/features/feeds/formats/timezone.ts'
import { readZone, toWall } from '../../src/kernel/time/dates.ts'
import { ZONE_RULES } from '../../src/kernel/time/zone-rules.ts'
import { clockChanges, mustFindZone } from '../../src/kernel/time/zones.ts'
import { openZone } from './calendar.ts'

/** The zones of the tz database that events may have. */
export const ZONES = ZONE_RULES.trim()
  .split('\n')
  .flatMap((line) => line.split('|', 1)[0]!.split(' '))
  .filter((name) => readZone(name) !== undefined)

/** Seconds from a change of the clocks. */
const AROUND = [-86_400, -7_200, -3_601, -1_800, -1, 0, 1, 1_800, 3_601, 86_400]

/**
 * Local times around every change of the clocks, and in the middle of summers and winters, that an independent reader of the
 * component of a zone takes for other instants. Times that occur twice are left out, because readers disagree about them, and
 * differences of less than a minute, because this one reads no seconds of offsets.
 */
export function differences(
  name: string,
  { from, to }: { from: number; to: number },
  component = vtimezone(name),
): string[] {
  const zone = mustFindZone(name)
  const [since, until] = [Date.UTC(from, 0, 1), Date.UTC(to, 0, 1)]
  const changes = clockChanges(zone, since, until)
  const instants = changes.flatMap(({ at }) => AROUND.map((seconds) => at + seconds * 1000))
  for (let year = from; year < to; year++) instants.push(Date.UTC(year, 0, 15, 12), Date.UTC(year, 6, 15, 12))
  const isTwice = (at: number) =>
    changes.some((change) => Math.abs(at - change.at) <= change.from - change.to)
  const read = openZone(component)
  return instants
    .filter((at) => at >= since && !isTwice(at))
    .filter((at) => Math.abs(read(toWall(at, name)) - at) >= 60_000)
    .map((at) => toWall(at, name))
}
