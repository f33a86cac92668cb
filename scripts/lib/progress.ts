/** Shows how far long work has come: on a terminal in one line, else in a line every ten seconds. */
export type Progress = ReturnType<typeof createProgress>

/** Where lines go: stderr, since what a command prints may be data. */
type Out = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

const number = new Intl.NumberFormat('en')

/** Makes the progress of a command. */
export function createProgress(out: Out = process.stderr) {
  let part: { what: string; total: number; done: number; from: number } | undefined
  let timer: NodeJS.Timeout | undefined
  const show = (isLast: boolean): void => {
    if (part) {
      const line = lineOf(part, (Date.now() - part.from) / 1_000)
      out.write(out.isTTY ? `\r\u001b[K${line}${isLast ? '\n' : ''}` : `${line}\n`)
    }
  }
  const end = (): void => {
    clearInterval(timer)
    if (part && part.total > 0) {
      show(true)
    }
    part = undefined
  }
  return {
    /** Begins with a part of the work: so many rows, or other things. */
    begin(what: string, total: number): void {
      end()
      part = { what, total, done: 0, from: Date.now() }
      timer = setInterval(show, out.isTTY ? 200 : 10_000, false).unref()
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
  const rest =
    done >= total
      ? `in ${seconds.toFixed(0)} s`
      : rate > 0
        ? `${number.format((total - done) / rate)} s left`
        : `${seconds.toFixed(0)} s so far`
  return `${what}: ${number.format(done)} of ${number.format(total)}, ${number.format(Math.round(rate))} a second, ${rest.replace(/\.\d+/, '')}`
}
