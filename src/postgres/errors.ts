/** An error that the server reports. Its message repeats no value of a column, which the server tells apart, as details. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  /** Its SQLSTATE: five characters, the first two of which are its class. */
  readonly code: string

  constructor(code: string, message: string) {
    super(`${message} (${code})`)
    this.code = code
  }
}

/** The connection could not be made. No statement was sent over it. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'
}

/** The connection was lost before the server has answered. Whether the statements were carried out is not known. */
export class LostConnection extends Error {
  override readonly name = 'LostConnection'
}

/** Is this a serialization failure or a deadlock? The server has undone a transaction because of another one. */
export function isCollision(error: unknown): boolean {
  return error instanceof ServerError && /^(40001|40P01)$/.test(error.code)
}
