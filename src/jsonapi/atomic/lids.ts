import { isObject, pointerToken } from '../json.ts'
import { type FaultList, quote } from '../problems.ts'

/** The ids of the resources that earlier operations of a transaction add, by type and `lid`. */
export class LocalIds {
  readonly #ids = new Map<string, string>()
  readonly #lids = new Map<string, string>()

  /** Sets the `lid` of a new resource. False where an earlier resource of the type has it. */
  add(type: string, lid: string, id: string): boolean {
    const key = keyOf(type, lid)
    const isFree = !this.#ids.has(key)
    this.#ids.set(key, id)
    this.#lids.set(id, lid)
    return isFree
  }

  /** A detail that names each new resource by its `lid`: the client has never seen its id. */
  named(detail: string): string {
    let text = detail
    for (const [id, lid] of this.#lids) {
      text = text
        .replaceAll(`id ${quote(id)}`, () => `lid ${quote(lid)}`)
        .replaceAll(`"id" is ${quote(id)}`, () => `"lid" is ${quote(lid)}`)
    }
    return text
  }

  /** The id of the resource with a `lid`. Where there is none, adds a fault at the pointer, if `faults` is given. */
  idOf(type: unknown, lid: string, pointer: string, faults?: FaultList): string | undefined {
    const id = this.#ids.get(keyOf(type, lid))
    if (id === undefined) {
      faults?.add(() => ({
        code: 'VALUE_INVALID_FORMAT',
        detail: `No earlier operation has added a resource of type ${quote(type)} with the lid ${quote(lid)}.`,
        source: { pointer },
      }))
    }
    return id
  }

  /**
   * The `data` of an operation with an id in each identifier that has a `lid`. Values that are no identifiers stay as they are: the
   * schemas of bodies report them.
   *
   * @param names the relationships that a resource object can have; undefined where `data` is linkage
   */
  resolve(
    data: unknown,
    names: readonly string[] | undefined,
    pointer: string,
    faults: FaultList,
  ): unknown {
    if (!names) {
      return this.#linkage(data, pointer, faults)
    }
    if (!isObject(data) || !isObject(data.relationships)) {
      return data
    }
    const relationships = { ...data.relationships }
    for (const name of names) {
      const value = relationships[name]
      if (isObject(value)) {
        const at = `${pointer}/relationships${pointerToken(name)}/data`
        relationships[name] = { ...value, data: this.#linkage(value.data, at, faults) }
      }
    }
    return { ...data, relationships }
  }

  #linkage(linkage: unknown, pointer: string, faults: FaultList): unknown {
    return Array.isArray(linkage)
      ? linkage.map((item, index) => this.identified(item, `${pointer}/${index}`, faults))
      : this.identified(linkage, pointer, faults)
  }

  /**
   * An object that has a `type` and a `lid`, with the id of the `lid`. Other values stay as they are.
   *
   * @param standIn the id where the `lid` is unknown, so that this is the only fault. The end of the pointer differs for each identifier
   */
  identified(
    item: unknown,
    pointer: string,
    faults?: FaultList,
    standIn = pointer.slice(-60),
  ): unknown {
    if (!isObject(item) || item.id !== undefined || typeof item.lid !== 'string') {
      return item
    }
    const { lid, ...rest } = item
    return { ...rest, id: this.idOf(item.type, lid as string, `${pointer}/lid`, faults) ?? standIn }
  }
}

function keyOf(type: unknown, lid: string): string {
  return JSON.stringify([type, lid])
}
