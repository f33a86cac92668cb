import { type FaultList, quote } from '../problems.ts'

/** The ids of the resources that earlier operations of a transaction add, by type and `lid`. */
export class LocalIds {
  readonly #ids = new Map<string, string>()
  readonly #faults: FaultList

  /** @param faults gets the fault of each `lid` that is not known */
  constructor(faults: FaultList) {
    this.#faults = faults
  }

  /** Sets the `lid` of a new resource. False where an earlier resource of the type has it. */
  add(type: string, lid: string, id: string): boolean {
    const key = JSON.stringify([type, lid])
    const isFree = !this.#ids.has(key)
    this.#ids.set(key, id)
    return isFree
  }

  /** The id of the resource with a `lid`. Where there is none, adds a fault at the pointer. */
  idOf(type: unknown, lid: string, pointer: string): string | undefined {
    const id = this.#ids.get(JSON.stringify([type, lid]))
    if (id === undefined) {
      this.#faults.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `No earlier operation has added a resource of type ${quote(type)} with the lid ${quote(lid)}.`,
        source: { pointer },
      }))
    }
    return id
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
