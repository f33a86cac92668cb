/** A generator of clients, and how it is tried. */
export interface Generator {
  /** Of the visit, and of what is generated. */
  readonly name: string
  /** The npm packages with their versions in package.json. */
  readonly packages: readonly string[]
  /** Its command, below node_modules, and what it is told. */
  readonly command: readonly [file: string, ...options: string[]]
  /** Does it compile with `skipLibCheck` alone? For declarations of its own packages, not for what it generates. */
  readonly skipLibCheck?: true
}

/** The description, as each generator reads it. */
const input = './generated/oas.json'

/** Every generator that is tried; docs/guides/clients.md says what a client author has to know of each. */
export const generators: readonly Generator[] = [
  {
    name: 'hey-api',
    packages: ['@hey-api/openapi-ts'],
    command: ['@hey-api/openapi-ts/bin/run.js', '-f', 'openapi-ts.config.js'],
  },
  {
    name: 'openapi-typescript',
    packages: ['openapi-typescript', 'openapi-fetch'],
    command: [
      'openapi-typescript/bin/cli.js',
      input,
      '--output',
      'generated/openapi-typescript.ts',
    ],
  },
  {
    name: 'orval',
    packages: ['orval'],
    command: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.js'],
  },
  {
    name: 'kubb',
    packages: ['@kubb/cli', '@kubb/plugin-client'],
    command: ['@kubb/cli/bin/kubb.cjs', 'generate', '--config', 'kubb.config.js'],
    skipLibCheck: true,
  },
  {
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api'],
    command: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      ...['-p', input, '-o', 'generated', '-n', 'swagger-typescript-api.ts', '--enum-style=union'],
    ],
  },
  {
    name: 'zodios',
    packages: ['openapi-zod-client', '@zodios/core'],
    command: [
      'openapi-zod-client/bin.js',
      input,
      ...['-o', 'generated/zodios.ts', '--export-schemas'],
      ...['--media-type-expr', 'mediaType === "application/vnd.api+json"'],
    ],
  },
  {
    name: 'oazapfts',
    packages: ['oazapfts'],
    command: ['oazapfts/dist/cli.js', input, 'generated/oazapfts.ts'],
  },
]
