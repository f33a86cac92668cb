import { Client, types } from 'pg'

/** The connection of a request to PostgreSQL. */
export type Link = ReturnType<typeof createLink>

/** Gives times as texts, as in JSON of PostgreSQL, because no Date stands for `infinity`. */
const timeText = (text: string): string =>
  text.replace(' ', 'T').replace(/(?<=T.*[+-]\d\d)(?= |$)/, ':00')

const getTypeParser = ((id: number, format?: 'text') =>
  id === types.builtins.TIMESTAMPTZ
    ? timeText
    : types.getTypeParser(id, format)) as typeof types.getTypeParser

/**
 * Makes the link of a request.
 *
 * @param deadlineMs milliseconds that it may take to connect, and that a statement may take
 */
export function createLink(connectionString: string, deadlineMs: number) {
  let current: { readonly client: Client; readonly connected: Promise<Client> } | undefined
  /** Ends the connection. Never rejects. */
  const end = async (): Promise<void> => {
    const last = current
    current = undefined
    await last?.client.end().catch(() => {})
  }
  const open = () => {
    const client = new Client({
      connectionString,
      types: { getTypeParser },
      connectionTimeoutMillis: deadlineMs,
      pipeline: true,
      // Also bounds `end`, which waits for the answers to what a client with `pipeline` has sent.
      query_timeout: deadlineMs,
    })
    const opened = { client, connected: client.connect().then(() => client) }
    const lose = () => void (current === opened && end())
    client.on('error', lose).on('end', lose)
    opened.connected.catch(lose)
    return opened
  }
  return {
    /** The connected client. It is made when it is first asked for, and anew if the last one is lost or ended. */
    connected() {
      current ??= open()
      return current.connected
    },
    end,
  }
}
