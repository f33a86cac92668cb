import type { SequentialModel } from './linearizability.ts'

/** What a resource holds, as far as the model knows: one value, and the tag of its revision where the service tells it. */
export interface Register {
  readonly value: string
  readonly tag: string | undefined
}

/** An operation on a resource, with its answer. The tag of a write is the one that it has made. */
export type RegisterOperation =
  | ({ readonly kind: 'read' | 'write' } & Register)
  /** A write that is to be done only while the resource has the tag `condition`; was it done? */
  | ({
      readonly kind: 'conditional write'
      readonly condition: string
      readonly done: boolean
    } & Register)

/** A resource whose reads and writes happen one after the other. */
export function register(initial: Register): SequentialModel<Register, RegisterOperation> {
  return {
    initial,
    apply(state, operation) {
      const { value, tag } = operation
      switch (operation.kind) {
        case 'read':
          return value === state.value && tag === state.tag ? state : undefined
        case 'write':
          return { value, tag }
        case 'conditional write': {
          if (operation.done !== (operation.condition === state.tag)) {
            return undefined
          }
          return operation.done ? { value, tag } : state
        }
      }
    },
  }
}
