/** Node runs what is generated as it is, so that imports name files with their extension. */
export default {
  output: { path: 'generated/hey-api', module: { extension: '.ts' } },
}
