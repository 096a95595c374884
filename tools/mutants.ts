import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { openRandom } from '../bench/seed/random.ts'

// npm run mutants: changes one line of the program after the other, drawn by a seed from all that are executed and no declarations, and
// says of which changes `npm test` takes notice. It works in a copy of the last commit, in `.tap/mutants`. `--count 60 --seed 1` is the
// default; `--only 7` tries the seventh alone.
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The copy, with what lies beside the project. */
const AROUND = `${ROOT}.tap/mutants`
const COPY = `${AROUND}/main`
const SHARED = fileURLToPath(new URL('../../shared', import.meta.url))

type Change = { file: string; line: number; from: number; to: number; text: string }

const OTHER: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.LessThanToken]: '>=',
  [ts.SyntaxKind.LessThanEqualsToken]: '>',
  [ts.SyntaxKind.GreaterThanToken]: '<=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '<',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
}

/** What a node may be changed to; undefined if it is none of those that are. */
function changed(node: ts.Node, source: ts.SourceFile): { node: ts.Node; text: string } | undefined {
  if (ts.isBinaryExpression(node)) {
    const text = OTHER[node.operatorToken.kind]
    return text === undefined ? undefined : { node: node.operatorToken, text }
  }
  const whole = node.getText(source)
  if (ts.isIfStatement(node)) return { node: node.expression, text: `!(${node.expression.getText(source)})` }
  if (ts.isConditionalExpression(node))
    return { node: node.condition, text: `!(${node.condition.getText(source)})` }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return { node, text: whole.slice(1) }
  if (
    ts.isReturnStatement(node) &&
    node.expression &&
    !/^(undefined|null)$/.test(node.expression.getText(source))
  )
    return { node: node.expression, text: 'undefined as never' }
  if (ts.isExpressionStatement(node)) return { node, text: ';' }
  if (ts.isNumericLiteral(node)) return { node, text: `(${whole} + 1)` }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { node, text: 'false' }
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { node, text: 'true' }
  return undefined
}

/** The changes that are possible in the bodies of functions of a file. */
function changesIn(file: string): Change[] {
  const source = ts.createSourceFile(file, readFileSync(ROOT + file, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: Change[] = []
  const visit = (node: ts.Node, isExecuted: boolean) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    const change = isExecuted ? changed(node, source) : undefined
    if (change) {
      const [from, to] = [change.node.getStart(source), change.node.getEnd()]
      const line = source.getLineAndCharacterOfPosition(from).line + 1
      found.push({ file, line, from, to, text: change.text })
    }
    ts.forEachChild(node, (child) => visit(child, isExecuted || ts.isFunctionLike(node)))
  }
  visit(source, false)
  return found
}

/** Lines, each with one change of it, drawn without putting back. */
function drawn(count: number, seed: number): Change[] {
  const files = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
  const byLine = new Map<string, Change[]>()
  for (const change of files.flatMap((name) => changesIn(`src/${name}`))) {
    const line = `${change.file}:${change.line}`
    byLine.set(line, [...(byLine.get(line) ?? []), change])
  }
  const draw = openRandom(seed)
  const lines = [...byLine.values()].map((changes) => ({ changes, place: draw() }))
  return lines
    .sort((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ changes }) => changes[Math.floor(draw() * changes.length)]!)
}

const run = (command: string, args: string[], cwd = ROOT) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })

rmSync(AROUND, { recursive: true, force: true })
run('git', ['clone', '--quiet', ROOT, COPY])
symlinkSync(`${ROOT}node_modules`, `${COPY}/node_modules`)
if (existsSync(SHARED)) symlinkSync(SHARED, `${AROUND}/shared`)
run('npm', ['run', '-s', 'build'], COPY)
const changes = drawn(Number(values.count), Number(values.seed))
let caught = 0
let tried = 0
for (const [at, { file, line, from, to, text }] of changes.entries()) {
  if (values.only !== undefined && Number(values.only) !== at + 1) continue
  const path = `${COPY}/${file}`
  const source = readFileSync(path, 'utf8')
  writeFileSync(path, source.slice(0, from) + text + source.slice(to))
  const { status, stdout } = run(
    'node',
    ['--import', 'tsx', 'test/support/run.ts', '--bail', '--near', file],
    COPY,
  )
  writeFileSync(path, source)
  tried++
  if (status !== 0) caught++
  // a process that is ended with the first failure fails as well
  const by = stdout.match(/^FAILED +(.* > .*)$/m)?.[1]?.slice(0, 100)
  const what = `${source.slice(from, to).replaceAll(/\s+/g, ' ').slice(0, 50)} -> ${text.slice(0, 50)}`
  console.log(
    `${at + 1}/${changes.length} ${status === 0 ? 'LIVES ' : 'caught'} ${file}:${line} ${what}${by ? ` (${by})` : ''}`,
  )
}
console.log(`${caught} of ${tried} changes are caught by npm test`)
