import { once } from 'node:events'
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from '../commands/shell.ts'

const BEGINNING = 'almanac-workers-'
/** A socket that accepts connections as long as the process that created the folder runs. */
const ALIVE = 'alive'
const MAKING = 'making'
/** Greatest length in bytes of a socket path on every system. A longer one would be truncated. */
const LONGEST = 103

/**
 * Creates a private folder for the sockets of several processes, and removes the folders of killed services. Throws if the path
 * is too long for sockets.
 */
export async function openSocketFolder(within = tmpdir()): Promise<string> {
  if (Buffer.byteLength(join(within, `${BEGINNING}123456`, MAKING)) > LONGEST)
    throw fail(`TMPDIR is too long for the path of a socket, ${LONGEST} bytes: ${within}`)
  await removeAbandoned(within).catch(() => {}) // a folder that remains costs nothing but its name
  const folder = mkdtempSync(join(within, BEGINNING))
  const making = join(folder, MAKING)
  const server = createServer((socket) => socket.destroy()).listen(making)
  server.unref()
  await once(server, 'listening')
  // the socket gets its name once it accepts connections
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

/** Whether it is a folder (not a link) of the current user. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid!()
}

/** Whether the process of a folder has ended: the kernel then refuses connections to its socket. A folder without a socket may be new. */
const isAbandoned = (folder: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(join(folder, ALIVE))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
