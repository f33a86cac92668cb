/** Recorded answers of a running service. A test sends each of the requests again and compares the answers. */
export interface Examples {
  /** Documents of successful answers, by the name of the operation. */
  readonly answers: Readonly<Record<string, unknown>>
  /** Error answers, by the name of the response in the description and the code of the error. */
  readonly errors: Readonly<Record<string, Readonly<Record<string, Example>>>>
}

/** An Example Object (OpenAPI 3.0.1, "Example Object"). */
export interface Example {
  /** The request that was answered this way, where it is not the documented one. */
  readonly summary: string
  readonly value: unknown
}
