/** hey-api takes the extension of imports from a file alone: Node reads what it generates as it is. */
export default {
  input: './generated/oas.json',
  output: { path: './generated/hey-api', module: { extension: '.ts' } },
}
