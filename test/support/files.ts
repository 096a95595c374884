import { runTogether } from './together.ts'

// One process of `run.js`: runs the test files that it is given.
runTogether(process.env.TEST_FILES!.split('\n'))
