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
