import { quote } from '../problems.ts'

/** The ids of the resources that earlier operations of a transaction add, by type and `lid`. */
export class LocalIds {
  readonly #ids = new Map<string, string>()

  /** Sets the `lid` of a new resource. False if an earlier resource of the type has it. */
  add(type: string, lid: string, id: string): boolean {
    const isFree = this.idOf(type, lid) === undefined
    this.#ids.set(JSON.stringify([type, lid]), id)
    return isFree
  }

  /** The id of the resource with a `lid`. Undefined if there is none. */
  idOf(type: unknown, lid: string): string | undefined {
    return this.#ids.get(JSON.stringify([type, lid]))
  }

  /** A detail that names each new resource by its `lid`: the client has never seen its id. */
  named(detail: string): string {
    let text = detail
    for (const [key, id] of this.#ids) {
      const lid = quote(JSON.parse(key)[1])
      text = text
        .replaceAll(`id ${quote(id)}`, () => `lid ${lid}`)
        .replaceAll(`"id" is ${quote(id)}`, () => `"lid" is ${lid}`)
    }
    return text
  }
}
