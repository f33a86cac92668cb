/** Gives the function that makes a value when it is first asked for, and gives the same value from then on. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
