import { runTogether } from './together.ts'

// One process of `run.ts`: runs the test files that it is given.
runTogether(process.env.TEST_FILES!.split('\n'))
