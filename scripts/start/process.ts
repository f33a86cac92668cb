/** Settles on Ctrl-C and its kin, and when npm is killed: it passes signals to its shell, and no further. */
export function untilInterrupted(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => resolve())
    }
    if (process.env.npm_lifecycle_event) {
      setInterval(() => process.ppid !== parent && resolve(), 500).unref()
    }
  })
}
