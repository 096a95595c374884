import { resolve } from 'node:path'
import type { Command } from 'commander'
import { fail, type Shell, tell } from '../../../commands/shell.ts'
import { readConfig } from '../../../config.ts'
import { interruptible, withBar } from '../../../kernel/cli.ts'
import { noteIn } from '../../audit/command.ts'
import { redacted } from '../connection/url.ts'
import { type Move, type Moved, moveToFile, moveToPostgres } from '../copy/move.ts'

type Options = { from?: string; to: string; allowMissing?: boolean; json?: boolean }
type Place = Pick<Move, 'mediaDir'> & { url?: string; file?: string }

/** `move`: a calendar from a file into PostgreSQL, or back. */
export function addMoveCommand(command: Command, shell: Shell) {
  command
    .description('move the calendar with its pictures from a file into PostgreSQL, or from there into a file')
    .option('--from <place>', 'path of a file, which nothing may have open, or URL; default: DATABASE')
    .requiredOption('--to <place>', 'URL of an empty database, or path of a new file')
    .option('--allow-missing', 'go on although files of pictures are missing')
    .option('--json', 'print JSON')
    .action(({ from, to, ...options }: Options) =>
      move(shell, placeOf(shell, from), placeOf(shell, to), options),
    )
}

/** A place as DATABASE would name it. */
function placeOf({ env }: Shell, named: string | undefined): Place {
  const { postgres, database, mediaDir } = readConfig({ ...env, ...(named && { DATABASE: named }) })
  return postgres === undefined ? { file: database, mediaDir } : { url: postgres, mediaDir }
}

async function move(
  shell: Shell,
  from: Place,
  to: Place,
  { json, allowMissing = false }: Pick<Options, 'json' | 'allowMissing'>,
) {
  const moved = await interruptible((signal) =>
    withBar({ terminal: shell.terminal && !json }, 'Moving', (progress) => {
      const how = { progress, signal, allowMissing }
      if (from.file !== undefined && to.url !== undefined)
        return moveToPostgres({ url: to.url, file: from.file, mediaDir: from.mediaDir, ...how })
      if (from.url !== undefined && to.file !== undefined)
        return moveToFile({ url: from.url, file: to.file, mediaDir: to.mediaDir, ...how })
      throw fail(
        'one of --from and --to is the path of a file, and the other a URL such as postgres://host/database',
      )
    }),
  )
  const [source, target] = [from, to].map(({ url, file }) => (url ? redacted(url) : file!)) as [
    string,
    string,
  ]
  const record = { from: source, to: target, ...moved }
  for (const place of [...(from.url ? [from] : []), to])
    await noteIn(shell, place, 'data_exported', { command: 'move', from: source, to: target })
  tell(shell, json, record, words(moved, target, to.url ? AFTER_THERE(source) : afterBack(to)))
}

const AFTER_THERE = (file: string) =>
  `Start each node with DATABASE=<this URL>; ${file} is as it was: start no service on it any more.`
const afterBack = ({ file, mediaDir }: Place) =>
  `Its pictures are in ${resolve(mediaDir)}. Stop the nodes before a service starts on ${file}: what they wrote since is not in it.`

function words({ events, venues, organizers, rows, files, missing }: Moved, target: string, after: string) {
  const number = (value: number) => value.toLocaleString('en')
  const lost = missing > 0 ? ` ${number(missing)} files of pictures were not there.` : ''
  return `${target} holds ${number(events)} events, ${number(venues)} venues, ${number(organizers)} organizers: ${number(rows)} rows were compared one by one, and ${number(files)} files of pictures by their bytes.${lost}\n${after}`
}
