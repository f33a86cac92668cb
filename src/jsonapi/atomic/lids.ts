import { type IdName, nameById } from '../problems.ts'

/** The ids of the resources that earlier operations of a transaction add, by type and `lid`. */
export class LocalIds {
  readonly #added: { readonly type: unknown; readonly lid: string; readonly id: string }[] = []

  /** Sets the `lid` of a new resource. False if an earlier resource of the type has it. */
  add(type: string, lid: string, id: string): boolean {
    const isFree = this.idOf(type, lid) === undefined
    this.#added.push({ type, lid, id })
    return isFree
  }

  /** The id of the resource with a `lid`. Undefined if there is none. */
  idOf(type: unknown, lid: string): string | undefined {
    return this.#added.findLast((one) => one.type === type && one.lid === lid)?.id
  }

  /** The name of a resource in errors. A new one is named by its `lid`: the client has never seen its id. */
  readonly nameOf = (id: unknown): IdName => {
    const added = this.#added.find((one) => one.id === id)
    return added ? { member: 'lid', value: added.lid } : nameById(id)
  }
}
