// What the commands use of the packages of this folder, which are installed at first use.

declare module 'pg' {
  class Client {
    constructor(options: {
      readonly connectionString: string
      readonly connectionTimeoutMillis: number
      readonly keepAlive: boolean
    })
    setTypeParser(oid: number, parse: (text: string) => unknown): void
    on(event: 'error', listener: (error: Error) => void): void
    connect(): Promise<void>
    query<Row>(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>
    end(): Promise<void>
  }
  const pg: { readonly Client: typeof Client }
  export default pg
}

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
