/** A member of `errors`: decide by `status` and `code`, show `source`, leave `detail` to people. */
interface Fault {
  readonly id: string
  readonly status: string
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly source?: {
    readonly parameter?: string
    readonly pointer?: string
    readonly header?: string
    readonly path?: string
  }
}

/** A refusal of the service: an answer whose status is 400 or more. */
export class ServiceError extends Error {
  /** The status of the answer. */
  readonly status: number
  /** What the service tells; empty where the answer is no error document, because a proxy between has made it. */
  readonly errors: readonly Fault[]

  constructor(status: number, body: unknown) {
    const errors = faultsOf(body)
    super(errors.map(({ detail }) => detail).join(' ') || `The answer is ${status}.`)
    this.name = 'ServiceError'
    this.status = status
    this.errors = errors
  }

  /** Is one of the errors of this code, for instance `CONFLICT`? */
  has(code: string): boolean {
    return this.errors.some((error) => error.code === code)
  }
}

function faultsOf(body: unknown): readonly Fault[] {
  const isDocument =
    typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors)
  return isDocument ? (body.errors as readonly Fault[]) : []
}
