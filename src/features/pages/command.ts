import type { Command } from 'commander'
import type { Shell } from '../../commands/shell.ts'
import { wordsOf } from './html/words/words.ts'

/** `words`: prints the words of the pages, as a file to begin with for `SITE_WORDS`. */
export function addWordsCommand(command: Command, shell: Shell) {
  command
    .description('print the words of the pages as JSON, for a file of SITE_WORDS')
    .argument('[language]', 'such as de; English for a language without own words', 'en')
    .action((language: string) => {
      shell.print(`${JSON.stringify(wordsOf(language), undefined, 2)}\n`)
    })
}
