/** Shows how far long work has come: in a line every ten seconds, and one for each part that ends. */
export type Progress = ReturnType<typeof createProgress>

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** Makes the progress of a command. Its lines go to stderr, since what a command prints may be data. */
export function createProgress() {
  let part: { what: string; total: number; done: number; from: number } | undefined
  let timer: NodeJS.Timeout | undefined
  const show = (): void => {
    if (part && part.total > 0) {
      console.error(lineOf(part, (Date.now() - part.from) / 1_000))
    }
  }
  const end = (): void => {
    clearInterval(timer)
    show()
    part = undefined
  }
  return {
    /** Begins with a part of the work: so many rows, or other things. */
    begin(what: string, total: number): void {
      end()
      part = { what, total, done: 0, from: Date.now() }
      timer = setInterval(show, 10_000).unref()
    },
    add(count: number): void {
      if (part) {
        part.done += count
      }
    },
    /** Ends it, and prints a line about the last part. */
    end,
  }
}

/** `users: 50,000 of 200,000, 10,000 a second, 15 s left`. */
function lineOf(
  { what, total, done }: { readonly what: string; readonly total: number; readonly done: number },
  seconds: number,
): string {
  const rate = done / Math.max(seconds, 0.001)
  const left = number.format((total - done) / rate)
  const rest = done < total ? `, ${left} s left` : `, in ${number.format(seconds)} s`
  return `${what}: ${number.format(done)} of ${number.format(total)}, ${number.format(rate)} a second${done > 0 ? rest : ''}`
}
