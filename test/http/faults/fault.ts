/** What identifies an error: its code and where its fault lies. */
export interface Fault {
  readonly code: string
  readonly source: object
}
