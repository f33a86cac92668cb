import { readdirSync, readFileSync } from 'node:fs'

/** The process ids of the running Workers runtime that this process has started. Linux only. */
export function runtimePids(): readonly number[] {
  const parents = new Map<number, number>()
  const names = new Map<number, string>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const stat = Number.isInteger(pid) ? readOrEmpty(`/proc/${pid}/stat`) : ''
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? []
    if (name !== undefined) {
      names.set(pid, name)
      parents.set(pid, Number(parent))
    }
  }
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOurs(parents.get(pid)))
  return [...names].filter(([pid, name]) => name === 'workerd' && isOurs(pid)).map(([pid]) => pid)
}

/** A process may end while it is read. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
