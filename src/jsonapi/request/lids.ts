import type { FaultList } from '../errors.ts'
import { isObject, pointerToken } from '../json.ts'
import { quote } from '../validate.ts'

/**
 * The resources that the operations of a transaction have added so far, by the names that their `lid`s give them (JSON:API
 * 1.1, "Resource Objects"). A name belongs to one type.
 */
export class LocalIds {
  readonly #ids = new Map<string, string>()

  /** Names a resource; tells whether the name was free. */
  name(type: string, lid: string, id: string): boolean {
    const key = keyOf(type, lid)
    const isFree = !this.#ids.has(key)
    if (isFree) {
      this.#ids.set(key, id)
    }
    return isFree
  }

  /** The id behind a name; without one it is a fault at the pointer, where faults are collected. */
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
   * The `data` of an operation with the id in each identifier that has a `lid` instead of one. What has another form stays
   * as it is, for others to judge.
   *
   * @param isResource is it a resource object? Else it is linkage
   */
  resolve(data: unknown, isResource: boolean, pointer: string, faults: FaultList): unknown {
    if (!isResource) {
      return this.#linkage(data, pointer, faults)
    }
    if (!isObject(data)) {
      return data
    }
    const { relationships } = data
    if (!isObject(relationships)) {
      return data
    }
    const resolved = Object.entries(relationships).map(([name, value]) => {
      const at = `${pointer}/relationships${pointerToken(name)}/data`
      return [
        name,
        isObject(value) ? { ...value, data: this.#linkage(value.data, at, faults) } : value,
      ]
    })
    return { ...data, relationships: Object.fromEntries(resolved) }
  }

  #linkage(linkage: unknown, pointer: string, faults: FaultList): unknown {
    return Array.isArray(linkage)
      ? linkage.map((item, index) => this.identified(item, `${pointer}/${index}`, faults))
      : this.identified(linkage, pointer, faults)
  }

  /** An object with `type` and `lid` with the id that the `lid` stands for, where it has none itself. */
  identified(item: unknown, pointer: string, faults?: FaultList): unknown {
    if (!isObject(item) || item.id !== undefined || typeof item.lid !== 'string') {
      return item
    }
    const { lid, ...rest } = item
    // Where there is none, the pointer stands for it: no two of these are the same.
    return {
      ...rest,
      id: this.idOf(item.type, lid as string, `${pointer}/lid`, faults) ?? pointer.slice(-60),
    }
  }
}

function keyOf(type: unknown, lid: string): string {
  return JSON.stringify([type, lid])
}
