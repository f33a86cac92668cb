import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

/** Kubb takes its options from a file alone. */
export default defineConfig({
  root: import.meta.dirname,
  input: { path: 'generated/oas.json' },
  output: { path: 'generated/kubb', extension: { '.ts': '.ts' }, format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'types' } }),
    pluginClient({ output: { path: 'clients' }, client: 'fetch' }),
  ],
})
