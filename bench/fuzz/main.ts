import { parseArgs } from 'node:util'
import { measureComplexity } from './complexity.ts'
import { fuzzMemory } from './memory.ts'
import { storm } from './storm.ts'

// Hostile requests: npm run bench:fuzz -- --requests 100000 [--seed 7] [--events 100000]
// What long texts cost: npm run bench:fuzz -- --complexity [--sample 0.1] [--seconds 600] [--only title] [--events 100000]
// What bodies that are withheld take of memory: npm run bench:fuzz -- --memory
const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    ...{ requests: text, seed: text, events: text, sample: text, seconds: text, only: text },
    complexity: { type: 'boolean' },
    memory: { type: 'boolean' },
  },
})

const events = Number(values.events ?? 0)
const run = () => {
  if (values.memory) return fuzzMemory()
  if (values.complexity)
    return measureComplexity({
      sample: Number(values.sample ?? 1),
      seconds: Number(values.seconds ?? 1_200),
      only: values.only ?? '',
      events,
    })
  return storm(Number(values.requests ?? 100_000), Number(values.seed ?? Date.now() % 1_000_000), events)
}
process.exitCode = (await run()) ? 0 : 1
