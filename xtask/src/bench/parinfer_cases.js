// Runs the three modes of parinfer over texts, in one process.
//
//   node -e <this> <folder of the parinfer package>
//
// stdin: a JSON list of {text, cursor}.
// stdout: a JSON list of {indentMode, parenMode, smartMode}, each a text or null.
'use strict'

const parinfer = require(require('path').resolve(process.argv[1]))
const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'))

const answers = cases.map(({ text, cursor }) => {
  const answer = {}
  for (const mode of ['indentMode', 'parenMode', 'smartMode']) {
    const result = parinfer[mode](text, cursor)
    answer[mode] = result.success ? result.text : null
  }
  return answer
})
process.stdout.write(JSON.stringify(answers))
