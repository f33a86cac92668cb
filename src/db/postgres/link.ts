import { Client } from 'pg'

/** The connection of a request to PostgreSQL. It is made by the first query. */
export interface Link {
  /** Sends a query, as `Client` of `pg` does. Once the connection is lost or ended, it fails until {@link renew}. */
  query: Client['query']
  /** Lets the next query make a new connection where the last one is lost or ended. */
  renew(): void
  /** Ends the connection. Never rejects. */
  end(): Promise<void>
}

/**
 * Makes the link of a request.
 *
 * @param connectMs milliseconds that it may take to connect
 */
export function createLink(connectionString: string, connectMs: number): Link {
  let current: { readonly client: Client; readonly connected: Promise<unknown> } | undefined
  let isOver = false
  const open = () => {
    const client = new Client({ connectionString, connectionTimeoutMillis: connectMs })
    const lose = () => {
      isOver ||= client === current?.client
    }
    client.on('error', lose)
    client.on('end', lose)
    const connected = client.connect()
    connected.catch(lose)
    return { client, connected }
  }
  const query = async (...parameters: Parameters<Client['query']>) => {
    if (isOver) {
      throw new Error('The connection to PostgreSQL is over')
    }
    current ??= open()
    const { client, connected } = current
    await connected
    return client.query(...parameters)
  }
  return {
    // The overloads of `query` are one function.
    query: query as unknown as Client['query'],
    renew() {
      if (isOver) {
        void current?.client.end().catch(() => {})
        current = undefined
        isOver = false
      }
    },
    async end() {
      isOver = true
      await current?.client.end().catch(() => {})
    },
  }
}
