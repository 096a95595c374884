import { ask, leave, pour, type Statuses } from './attack.ts'
import { ATTACKS } from './attacks.ts'

// One hostile client: attacker.ts <name> <root> <token>. It says when it begins, goes on until SIGTERM, and then tells how often it was answered what.
const [name, root, token] = process.argv.slice(2) as [string, string, string]
const attack = ATTACKS.find((one) => one.name === name)!
const statuses: Statuses = {}

process.on('SIGTERM', () => process.send!(statuses, () => process.exit(0)))
process.on('disconnect', () => process.exit(0))
const begins = () => process.send!('begins')
if (!('request' in attack)) begins()
if ('pour' in attack) pour(attack, root, statuses)
else if ('moment' in attack) void leave(attack, root, token, statuses)
else void ask(attack, root, token, statuses, begins)
