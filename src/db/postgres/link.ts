import { Client } from 'pg'

/** The connection of a request to PostgreSQL. It is made by the first query. */
export interface Link {
  /** Sends a query, as `Client` of `pg` does. Once the connection is lost or ended, it fails until {@link renew}. */
  readonly query: Client['query']
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
  const open = () => {
    const client = new Client({ connectionString, connectionTimeoutMillis: connectMs })
    const opened = { client, connected: client.connect(), isLost: false }
    const lose = () => {
      opened.isLost = true
    }
    client.on('error', lose).on('end', lose)
    opened.connected.catch(lose)
    return opened
  }
  let current: ReturnType<typeof open> | undefined
  const query = async (...parameters: Parameters<Client['query']>) => {
    current ??= open()
    await current.connected
    return current.client.query(...parameters)
  }
  const end = async () => current?.client.end().catch(() => {})
  return {
    // The overloads of `query` are one function.
    query: query as unknown as Client['query'],
    renew() {
      if (current?.isLost) {
        void end()
        current = undefined
      }
    },
    end,
  }
}
