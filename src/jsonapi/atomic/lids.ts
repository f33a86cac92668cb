import { type IdName, nameById } from '../problems.ts'

/** The ids of the resources that earlier operations of a transaction add, by type and `lid`. */
export class LocalIds {
  readonly #ids = new Map<string, string>()
  readonly #lids = new Map<unknown, string>()

  /** Sets the `lid` of a new resource. False if an earlier resource of the type has it. */
  add(type: string, lid: string, id: string): boolean {
    const isFree = this.idOf(type, lid) === undefined
    this.#ids.set(JSON.stringify([type, lid]), id)
    this.#lids.set(id, lid)
    return isFree
  }

  /** The id of the resource with a `lid`. Undefined if there is none. */
  idOf(type: unknown, lid: string): string | undefined {
    return this.#ids.get(JSON.stringify([type, lid]))
  }

  /** The name of a resource in errors. A new one is named by its `lid`: the client has never seen its id. */
  readonly nameOf = (id: unknown): IdName => {
    const lid = this.#lids.get(id)
    return lid === undefined ? nameById(id) : { member: 'lid', value: lid }
  }
}
