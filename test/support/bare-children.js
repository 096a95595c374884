// tap has every process that a test starts load its hooks, which takes a second of processor time at each start. They measure coverage: a
// process whose coverage is not measured is started without them, as it is started elsewhere.
import processOnSpawn from 'process-on-spawn'

const HOOKS = /"?--import=\S*@tapjs\/processinfo\S*import\.mjs"? ?/

processOnSpawn.addListener((started) => {
  const { NODE_OPTIONS, ...env } = started.env
  if (env._TAPJS_PROCESSINFO_COVERAGE_ !== '0' || NODE_OPTIONS === undefined) return
  const others = NODE_OPTIONS.replace(HOOKS, '')
  started.env = others ? { ...env, NODE_OPTIONS: others } : env
})
