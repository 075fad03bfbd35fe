// Runs parinfer over the cases of the repair benchmark, in one process, so that
// starting Node is not counted against it.
//
//   node parinfer.js <folder of the parinfer package> indentMode|smartMode
//
// stdin: one JSON object a line, {id, broken}.
// stdout: one JSON object a line, {id, ok, text, ms}.
'use strict'

const [folder, mode] = process.argv.slice(2)
const parinfer = require(require('path').resolve(folder))
const lines = require('fs').readFileSync(0, 'utf8').split('\n')

for (const line of lines) {
  if (line === '') continue
  const { id, broken } = JSON.parse(line)
  const start = process.hrtime.bigint()
  const answer = parinfer[mode](broken)
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  const ok = answer.success === true
  process.stdout.write(JSON.stringify({ id, ok, text: ok ? answer.text : null, ms }) + '\n')
}
