import { once } from 'node:events'
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from './shell.ts'

const BEGINNING = 'almanac-workers-'
/** A socket that answers as long as the process that made the folder runs. */
const ALIVE = 'alive'
const MAKING = 'making'
/** Bytes of a socket's path that every system takes; a longer one is cut, and leads elsewhere. */
const LONGEST = 103

/**
 * A new folder for the sockets of several processes, which nobody else may enter. Folders of services that were killed, and could
 * not remove theirs, are removed. Throws where the path is too long for sockets.
 */
export async function openSocketFolder(within = tmpdir()): Promise<string> {
  if (Buffer.byteLength(join(within, `${BEGINNING}123456`, MAKING)) > LONGEST)
    throw fail(`TMPDIR is too long for the path of a socket, ${LONGEST} bytes: ${within}`)
  await removeAbandoned(within).catch(() => {}) // what stays costs nothing but its name
  const folder = mkdtempSync(join(within, BEGINNING))
  const making = join(folder, MAKING)
  const server = createServer((socket) => socket.destroy()).listen(making)
  server.unref()
  await once(server, 'listening')
  // nobody finds the socket before it answers
  renameSync(making, join(folder, ALIVE))
  return folder
}

async function removeAbandoned(within: string) {
  for (const name of readdirSync(within)) {
    const folder = join(within, name)
    if (name.startsWith(BEGINNING) && isOwn(folder) && (await isAbandoned(folder)))
      rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether it is a folder, no link to one, of the user who runs this. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid!()
}

/** The kernel refuses connections to a socket whose process is gone; a folder without one may just have been made. */
const isAbandoned = (folder: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(join(folder, ALIVE))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
