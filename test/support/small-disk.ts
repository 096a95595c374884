import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A disk of so many megabytes, which `fill` fills to the last byte and `free` empties again; a sentence where none can be had. */
export function openSmallDisk(t: Pick<Test, 'teardown'>, megabytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'almanac-test', folder], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmSync(folder, { recursive: true })
    return `a small disk needs the right to mount one: ${(error as Error).message.trim()}`
  }
  t.teardown(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const handle = openSync(filler, 'a')
      try {
        for (let size = 65_536; size >= 1; )
          try {
            writeSync(handle, Buffer.alloc(size))
          } catch {
            size = Math.floor(size / 2)
          }
      } finally {
        closeSync(handle)
      }
    },
    free: () => rmSync(filler),
  }
}
